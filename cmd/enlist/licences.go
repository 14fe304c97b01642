//go:build !packaged

package main

// licences is empty in a program without the build tag packaged.
const licences = ""
