//go:build race

package discover_test

// raced is a program that is watched by the race detector, which takes memory of its own.
const raced = true
