// Package search finds in the catalogue what somebody describes in words, shows in a
// picture, or both.
package search
