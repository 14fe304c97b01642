package address

// LowerASCII lower-cases the letters A to Z and no others. Normalised addresses and
// searches share it: both must compare texts as the ASCII rules of the databases do.
// A text without such a letter is returned as it is, without an allocation.
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
