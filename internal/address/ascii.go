package address

// LowerASCII lower-cases only the letters A to Z. The code for normalised addresses and
// the code for searches call it, because the databases also lower-case only these letters.
// LowerASCII does not allocate memory for a text without capital letters.
func LowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
