//go:build packaged

package main

import _ "embed"

// licences are those of the modules in the program, as tools/packages/licences prints them.
//
//go:embed licences.txt
var licences string
