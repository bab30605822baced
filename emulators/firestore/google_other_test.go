//go:build !unix

package firestore_test

import "testing"

func startGoogle(t *testing.T) string {
	t.Skip("Google's Firestore emulator is only started on Unix")
	return ""
}
