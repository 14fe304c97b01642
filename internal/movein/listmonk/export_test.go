package listmonk

// Translate translates a text of a campaign in HTML. unknown are the expressions that stay as they are.
func Translate(source string, campaign map[string]string) (text string, unknown []string) {
	t := translation{campaign: campaign, isHTML: true, unknown: func(expression, _ string) {
		unknown = append(unknown, expression)
	}}
	return t.translate(source), unknown
}
