package mail

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The tests in this file inline CSS as it is in newsletters, and CSS with syntax errors.

// inlineCase has a style sheet, a body, and the text that the result must contain.
type inlineCase struct{ name, sheet, body, want string }

// check inlines the style sheet into the body. It fails the test if the result does not contain the
// wanted text.
func (c inlineCase) check(t *testing.T) {
	got := inlineStyles("<html><head><style>" + c.sheet + "</style></head><body>" + c.body + "</body></html>")
	if !strings.Contains(got, c.want) {
		t.Errorf("got %s\nwant it to contain %s", got, c.want)
	}
	lacks(t, "the result", got, "enlist-")
}

// Rules are moved into style attributes in the order of the CSS cascade.
//
// covers: decision 46
func TestRulesAreInlinedByTheCascade(t *testing.T) {
	for _, c := range []inlineCase{
		{"the last declaration needs no semicolon", "p{color:red}", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"the style attribute wins over rules", "p{color:red;margin:0}", `<p style="color:blue">x</p>`, `<p style="margin: 0; color: blue;">x</p>`},
		{"the more specific selector wins", "#i{color:green} .c{color:blue} p{color:red}", `<p id="i" class="c">x</p>`, `style="color: green;"`},
		{"one id wins over eleven classes", "#i{color:green} p" + strings.Repeat(".c", 11) + "{color:red}", `<p id="i" class="c">x</p>`, `style="color: green;"`},
		{"of two rules with equal selectors, the later rule wins", "p{color:red} p{color:blue}", `<p>x</p>`, `style="color: blue;"`},
		{"of two declarations of a property in a rule, the later one wins", "p{color:red;color:blue}", `<p>x</p>`, `style="color: blue;"`},
		{"important wins over the style attribute", "p{color:red !important}", `<p style="color:blue">x</p>`, `style="color: red;"`},
		{"important may have a space and capitals", "p{color:red ! IMPORTANT}", `<p style="color:blue">x</p>`, `style="color: red;"`},
		{"an important style attribute wins over important rules", "p{color:red!important}", `<p style="color:blue!important">x</p>`, `style="color: blue;"`},
		{"of two important rules, the more specific rule wins", "#i{color:red!important} p{color:blue!important}", `<p id="i">x</p>`, `style="color: red;"`},
		{"child and descendant selectors match", "div > p, div a{color:red}", `<div><p><a>x</a></p></div>`, `<p style="color: red;"><a style="color: red;">`},
		{"the next sibling matches", "p+p{margin:1em 0}", `<p>x</p><p>y</p>`, `<p>x</p><p style="margin: 1em 0;">y</p>`},
		{"the first child matches", "li:first-child{margin:0}", `<ul><li>x</li><li>y</li></ul>`, `<li style="margin: 0;">x</li><li>y</li>`},
		{"an attribute selector matches", "td[align=left]{padding:0}", `<table><tr><td align="left">x`, `<td align="left" style="padding: 0;">x`},
		{"a later shorthand replaces a longhand", "p{margin-top:5px;margin:0}", `<p>x</p>`, `style="margin-top: 5px; margin: 0;"`},
		{"a later longhand changes a shorthand", "p{margin:0;margin-top:5px}", `<p>x</p>`, `style="margin: 0; margin-top: 5px;"`},
		{"a shorthand of a more specific rule replaces a longhand", "#i{margin:0} p{margin-top:5px}", `<p id="i">x</p>`, `style="margin-top: 5px; margin: 0;"`},
		{"a shorthand of the style attribute replaces a longhand", "p{margin-top:5px}", `<p style="margin:0">x</p>`, `style="margin-top: 5px; margin: 0;"`},
		{"an important longhand changes a later shorthand", "p{margin-top:5px!important;margin:0}", `<p>x</p>`, `style="margin: 0; margin-top: 5px;"`},
		{"a repeated property applies at its last place", "p{margin:0;margin-top:5px;margin:1px}", `<p>x</p>`, `style="margin-top: 5px; margin: 1px;"`},
		{"a shorthand keeps its values", "p{border:1px solid #ccc;background:#fff url(a.png) no-repeat 0 0;font:bold 12px/1.5 Arial,sans-serif}", `<p>x</p>`,
			`style="border: 1px solid #ccc; background: #fff url(a.png) no-repeat 0 0; font: bold 12px/1.5 Arial,sans-serif;"`},
		{"properties of Outlook and vendors are inlined", "p{mso-line-height-rule:exactly;-webkit-text-size-adjust:100%}", `<p>x</p>`,
			`style="mso-line-height-rule: exactly; -webkit-text-size-adjust: 100%;"`},
		{"tables also get HTML attributes such as bgcolor", "td{background-color:#fff;text-align:center}", `<table><tr><td>x`, `bgcolor="#fff"`},
		{"a value that not every program knows does not replace the one before", "p{border:2px solid #000}", `<p style="border:1px dashed solid">x</p>`, `style="border: 2px solid #000; border: 1px dashed solid;"`},
		{"a known value replaces all before it", "p{width:100;width:90%;width:10em}", `<p style="width:100px">x</p>`, `style="width: 100px;"`},
		{"a fallback stays before its gradient", "p{background:#fff;background:linear-gradient(#fff,#eee)}", `<p style="background:linear-gradient(#fff,#eee)">x</p>`,
			`style="background: #fff; background: linear-gradient(#fff,#eee);"`},
		{"but no attribute whose value is written in another way", "table{background-image:url(a.png)}", `<table><tr><td>x`, `<table style="background-image: url(a.png);">`},
		{"an element without a rule keeps its style", "a{color:red}", `<p style="color:blue;margin:0">x</p>`, `<p style="color:blue;margin:0;">x</p>`},
		{"the universal selector matches every element", "*{color:red} a:hover{color:blue}", `<p>x</p>`, "\n* {color: red !important;}\na:hover {color:blue !important}\n</style></head><body style=\"color: red;\"><p style=\"color: red;\">"},
	} {
		t.Run(c.name, c.check)
	}
}

// A declaration that cannot be read stays in the style attribute, behind all others.
//
// covers: decision 46
func TestStyleAttributesKeepWhatCannotBeRead(t *testing.T) {
	for _, c := range []inlineCase{
		{"a filter of Internet Explorer", "p{margin:0}", `<p style="color:red;filter:progid:A.b(c='#1');top:0">x</p>`, `style="margin: 0; color: red; top: 0; filter:progid:A.b(c=&#39;#1&#39;)"`},
		{"a merge field", "p{margin:0}", `<p style="color:{{First Name}};top:0">x</p>`, `style="margin: 0; top: 0; color:{{First Name}}"`},
		{"a string that is not closed", "a{}", `<p style="color:red;font-family:'Arial;top:0">x</p>`, `style="color:red;font-family:&#39;Arial;top:0;"`},
		{"a bracket that is not closed", "p{margin:0}", `<p style="color:red;width:calc(1px;top:0">x</p>`, `style="margin: 0; color: red; width:calc(1px;top:0"`},
		{"braces", "p{margin:0}", `<p style="color:red;} top:0;left:0">x</p>`, `style="margin: 0; color: red; left: 0; } top:0"`},
		{"only what cannot be read", "p{margin:0}", `<p style="{x}">x</p>`, `style="margin: 0; {x}"`},
	} {
		t.Run(c.name, c.check)
	}
}

// Text that is not valid CSS is skipped, in the same way as in browsers.
//
// covers: decision 46
func TestBrokenStyleSheetsAreReadAsBrowsersReadThem(t *testing.T) {
	for _, c := range []inlineCase{
		{"stray semicolons", ";;p{color:red};;a{color:red};", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"stray braces", "}p{color:red}}", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"comments", "/* p{color:blue} */p{/**/color:red}<!-- -->", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"a comment between declarations", "p{color:red;/* x:y; */margin:0}", `<p>x</p>`, `<p style="color: red; margin: 0;">x</p>`},
		{"a comment in a style attribute", "a{}", `<p style="color:red;/* x */margin:0/* y */">x</p>`, `<p style="color:red;margin:0;">x</p>`},
		{"a comment that is not closed", "p{color:red} /* a{", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"a comment mark in a string", `p{font-family:"/*"} p{color:red}`, `<p>x</p>`, `style="font-family: &#34;/*&#34;; color: red;"`},
		{"a rule that is not closed", "p{color:red} a{", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"a URL with a semicolon", "p{background:url(data:image/png;base64,AA==)}", `<p>x</p>`, `<p style="background: url(data:image/png;base64,AA==);">x</p>`},
		{"a quoted semicolon", `p{font-family:"a;b"}`, `<p>x</p>`, `style="font-family: &#34;a;b&#34;;"`},
		{"a rule without declarations", "p{} p{margin:0}", `<p>x</p>`, `<p style="margin: 0;">x</p>`},
	} {
		t.Run(c.name, c.check)
	}
}

// Rules that cannot be inlined stay in a style sheet.
//
// covers: decision 46
func TestOtherRulesStayInAStyleSheet(t *testing.T) {
	for _, c := range []inlineCase{
		{"media queries", "@media (max-width:480px){p{color:red}} p{margin:0}", `<p>x</p>`, "<style type=\"text/css\">\n@media (max-width:480px) {\np {color:red}\n}\n</style>"},
		{"media queries with important", "@media only screen and (max-width:600px){.c,.d>p{width:100%!important;padding:0 10px!important}}", `<p>x</p>`,
			"\n@media only screen and (max-width:600px) {\n.c,.d>p {width:100%!important;padding:0 10px!important}\n}\n"},
		{"fonts", "@font-face{font-family:'A B';src:url(https://example.com/a.woff2) format('woff2')} p{font-family:'A B',Arial}", `<p>x</p>`,
			"\n@font-face {font-family:'A B';src:url(https://example.com/a.woff2) format('woff2')}\n</style></head><body><p style=\"font-family: &#39;A B&#39;,Arial;\">"},
		{"imports", `@charset "utf-8";@import url(https://example.com/a.css);p{margin:0}`, `<p>x</p>`, "\n@charset \"utf-8\";\n@import url(https://example.com/a.css);\n</style>"},
		{"animations", "@keyframes k{from{top:0}to{top:1px}} @supports (display:grid){p{display:grid}}", `<p>x</p>`,
			"\n@keyframes k {from{top:0}to{top:1px}}\n@supports (display:grid) {\np {display:grid}\n}\n</style>"},
		{"selectors that depend on what the reader does", "a:hover,a{color:red}", `<a>x</a>`, "\na {color: red !important;}\na:hover {color:red !important}\n</style></head><body><a style=\"color: red;\">"},
		{"links and visited links", "a:link, a:visited{color:red}", `<a>x</a>`, "\na:link, a:visited {color:red}\n</style>"},
		{"pseudo-elements", "a::before{content:'x;}'}", `<a>x</a>`, "\na::before {content:'x;}'}\n</style>"},
		{"selectors that take long to match", "p:is(.a){color:red}", `<p>x</p>`, "\np:is(.a) {color:red}\n</style>"},
		{"a selector with an escape", `v\:*{behavior:url(#default#VML)}`, `<p>x</p>`, "\nv\\:* {behavior:url(#default#VML)}\n</style></head><body><p>x</p>"},
		{"a selector that cannot be parsed", "td[width=10]{color:red}", `<table><tr><td width=10>x`, "\ntd[width=10] {color:red}\n</style>"},
		{"a declaration without a value", "p{color;margin:0}", `<p>x</p>`, "\np {color;margin:0}\n</style></head><body><p>x</p>"},
		{"a filter with a second colon", "p{filter:progid:A.b(c='#1');margin:0}", `<p>x</p>`, "\np {filter:progid:A.b(c='#1');margin:0}\n</style></head><body><p>x</p>"},
		{"a string that is not closed", "p{font-family:'a} a{margin:0}", `<p>x</p>`, "\np {font-family:'a} a{margin:0}\n}\n</style></head><body><p>x</p>"},
		{"rules for elements that a mail program adds", ".ExternalClass p{color:red} [data-ogsc] p, p{margin:0}", `<p>x</p>`,
			"\n.ExternalClass p {color:red}\n[data-ogsc] p {margin:0}\n</style></head><body><p style=\"margin: 0;\">x</p>"},
		{"merge fields in values", "p{color:{{First Name}}}", `<p>x</p>`, "<p>x</p>"},
	} {
		t.Run(c.name, c.check)
	}
	t.Run("a style sheet that is not for Outlook", func(t *testing.T) {
		const hidden = `<!--[if !mso]><!--><style type="text/css">` + "\n.w {font-family:Web,Arial}\n" + `</style><!--<![endif]-->`
		got := inlineStyles(`<html><head>` + hidden + `<style>.w{color:red}</style><!--[if mso]><style>.w{top:0}</style><![endif]--></head><body><p class="w">x</p>`)
		contains(t, "the result", got, hidden+`<!--[if mso]><style>.w{top:0}</style><![endif]--></head>`, `<p class="w" style="color: red;">`)
	})
	t.Run("what is not for Outlook keeps its conditions", func(t *testing.T) {
		const sheet = `<style type="text/css">` + "\n.w {top:0}\n" + `</style>`
		got := inlineStyles(`<html><head><style>p{color:red}</style><![if !mso]>` + sheet + `<!--[if gte mso 9]><xml></xml><![endif]-->` + sheet + `<![endif]></head><body><p class="w">x`)
		contains(t, "the result", got, `<!--[if !mso]><!-->`+sheet+`<!--[if gte mso 9]><xml></xml><![endif]-->`+sheet+`<!--<![endif]-->`, `<p class="w" style="color: red;">`)
	})
	t.Run("sheets stay in their places", func(t *testing.T) {
		got := inlineStyles(`<html><head><style>a:hover{top:0}</style><title>t</title><style>p{left:0}</style><style>a:active{top:0}</style></head><body><p>x`)
		contains(t, "the result", got, "a:hover {top:0}\n</style><title>t</title><style type=\"text/css\">\na:active {top:0}\n</style></head>")
	})
	t.Run("a style sheet for printing", func(t *testing.T) {
		got := inlineStyles(`<style media="print">p{color:red}</style><style>a{}</style><p>x`)
		contains(t, "the result", got, "@media print {\np {color:red}\n}\n</style>", "<p>x</p>")
	})
}

// A rule that stays wins over what was inlined, as it does in the browser, and loses where it loses there.
//
// covers: decision 46
func TestKeptRulesWinAsInTheBrowser(t *testing.T) {
	const narrow = "@media (max-width:480px)"
	for _, c := range []inlineCase{
		{"a media query wins over an inlined rule", ".c{width:600px;margin:0} " + narrow + "{.c{width:100%}}", `<p class="c">x</p>`,
			"\n.c {width: 600px !important;}\n@media (max-width:480px) {\n.c {width:100% !important}\n}\n</style></head><body><p class=\"c\" style=\"width: 600px; margin: 0;\">"},
		{"a dark scheme inside of another rule", "p{color:#111} @supports (color:red){@media (prefers-color-scheme:dark){p{color:#eee}}}", `<p>x</p>`,
			"@supports (color:red) {\n@media (prefers-color-scheme:dark) {\np {color:#eee !important}\n}\n}\n"},
		{"a longhand wins over an inlined shorthand", "p{margin:0} " + narrow + "{p{margin-top:9px;}}", `<p>x</p>`, "{\np {margin-top:9px !important;}\n}"},
		{"a later inlined rule wins over it", narrow + "{p{color:red}} p{color:blue}", `<p>x</p>`, "{\np {color:red !important}\n}\np {color: blue !important;}\n</style>"},
		{"the style attribute wins over it", "p{color:green} " + narrow + "{p{color:red}}", `<p style="color:blue">x</p>`, `<p style="color: blue !important;">x</p>`},
		{"also that of an element without a rule", "a{color:green} " + narrow + "{p{color:red}}", `<a>x</a><p style="color:blue">x</p>`, `<p style="color: blue !important;">x</p>`},
		{"unless the rule is important", "p{color:green} " + narrow + "{p{color:red!important}}", `<p style="color:blue">x</p>`, `<p style="color: blue;">x</p>`},
		{"an important rule needs no contest", ".c{padding:20px} " + narrow + "{.c{padding:5px !important}}", `<p class="c" style="padding-bottom:40px">x</p>`,
			"<style type=\"text/css\">\n@media (max-width:480px) {\n.c {padding:5px !important}\n}\n</style></head><body><p class=\"c\" style=\"padding: 20px; padding-bottom: 40px;\">"},
		{"an important rule with a weaker selector keeps its rank", "p{font-family:Arial} @media screen{*{font-family:Georgia !important}} p:hover{font-size:9px}", `<p>x</p>`,
			"<style type=\"text/css\">\n@media screen {\n* {font-family:Georgia !important}\n}\np:hover {font-size:9px}\n</style></head><body><p style=\"font-family: Arial;\">"},
		{"an inlined rule that would take its rank stays in the sheet", "#i{color:red} " + narrow + "{p{color:blue !important}} @media print{#i{color:black}}", `<p id="i" style="top:0">x</p>`,
			"\n#i {color: red;}\n@media (max-width:480px) {\np {color:blue !important}\n}\n@media print {\n#i {color:black}\n}\n</style></head><body><p id=\"i\" style=\"top: 0;\">"},
		{"it is inlined into elements that no kept rule can match", "p,#i{color:red} " + narrow + "{p{color:blue !important}} @media print{#i{color:black}}", `<p id="i">x</p><p>y</p>`, `<p id="i">x</p><p style="color: red;">y</p>`},
		{"an important inlined rule is compared with an important kept rule", "#i{color:red !important} " + narrow + "{p{color:blue !important}}", `<p id="i">x</p>`, "\n#i {color: red !important;}\n"},
		{"a style attribute does not take the rank of an important rule", ".c{padding:20px} " + narrow + "{.c{padding:10px}} @media screen{.c{padding:5px !important}}", `<p class="c" style="padding:1px">x</p>`,
			`<p class="c" style="padding: 1px;">`},
		{"what overlaps with a style attribute that wins needs it too", ".c{margin-top:3px} " + narrow + "{.c{margin-top:9px}}", `<p class="c" style="margin-left:5px;margin:0;margin-left:6px">x</p>`,
			`margin: 0 !important; margin-left: 6px !important;">`},
		{"properties that do not overlap are no contest", "p{font-size:20px} " + narrow + "{p{font-family:Arial}}", `<p>x</p>`, "\n@media (max-width:480px) {\np {font-family:Arial}\n}\n"},
		{"other properties stay as they are", "p{color:green} " + narrow + "{p{color:red;top:0}}", `<p style="left:0">x</p>`, "{\np {color:red !important;top:0}\n}"},
	} {
		t.Run(c.name, c.check)
	}
}

// If a Message has no style sheet or exceeds a limit, inlineStyles does not change any byte.
//
// covers: decision 46
func TestMessagesThatAreNotInlinedStayAsTheyAre(t *testing.T) {
	for _, c := range []struct{ name, source string }{
		{"no style sheet", "<P CLASS=x>no styles"},
		{"elements nested too deep to be parsed", "<style>p{color:red}</style>" + strings.Repeat("<div>", 600)},
		{"longer than Gmail shows by inlining", "<style>td{padding:0;margin:0}</style><table>" + strings.Repeat("<tr><td>some text", 5800)},
		{"media that cannot be written as a rule", `<style media="print{">p{color:red}</style><P>x`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := inlineStyles(c.source); got != c.source {
				t.Errorf("%.60q became %.60q, want no change", c.source, got)
			}
		})
	}
}

// Kept rules with many selectors that match many elements need a bounded number of entries in memory: they had 20 million,
// which are 600 MB.
func TestContestsOfManySelectorsAreBounded(t *testing.T) {
	t.Parallel()
	var kept []string
	for i := range 1000 {
		kept = append(kept, "."+strings.Join(strings.Split(fmt.Sprintf("%03d", i), ""), ".")) // .0.0.0 to .9.9.9
	}
	selectors := strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i",
		"9", "j").Replace(strings.Join(kept, ","))
	source := "<style>.x{color:red!important} i{color:green} @media print{" + selectors + "{color:blue}}</style><p class=x>" +
		strings.Repeat("<p class='a b c d e f g h i j'>", 19_000)
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	d := &styledDocument{elements: make(map[string]int), styles: make(map[*html.Node]*elementStyle),
		properties: make(map[string]bool)}
	d.collect(root, 0)
	if pieces := d.sheets[0].pieces; !d.affordable(pieces) {
		t.Error("the document is not compared")
	} else {
		c := newContests(root, pieces, nil)
		c.findApart()
		entries := 0
		for _, elements := range c.subject {
			entries += len(elements)
		}
		if most := maxMeetSteps + maxInlineMatches; entries > most || entries < 1_000_000 {
			t.Errorf("%d entries, want 1 to %d million", entries, most/1_000_000)
		}
	}
}
