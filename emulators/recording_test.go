package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
)

// What a run recorded, a later one is answered without any model; another photo is a
// miss that is told.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var paths []string
	for _, s := range []int{0, 1, 7} {
		sample := samples.All()[s]
		paths = append(paths, filepath.Join(dir, sample.File))
		if err := os.WriteFile(paths[len(paths)-1], sample.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recording := filepath.Join(dir, "recording")
	out, stderr, code := start(t, []string{"SECOND_LOOK=always"}, append([]string{"-once", "-record", recording}, paths[:2]...)...).end()
	names, outcomes := columns(out)
	if want := []string{"image", "local_db"}; code != 0 || !slices.Equal(outcomes, want) || !strings.Contains(out, "recorded ") {
		t.Fatalf("-record: exit code %d, %q, %q, errors %q, want 0 and %q", code, names, outcomes, stderr, want)
	}
	out, stderr, code = start(t, []string{"SECOND_LOOK=never"}, append([]string{"-once", "-replay", recording}, paths[:2]...)...).end()
	_, replayed := columns(out)
	if code != 0 || stderr != "" || !slices.Equal(replayed, outcomes) || !strings.Contains(out, "RECORDED MODEL") {
		t.Errorf("-replay: exit code %d, %q, errors %q, want 0 and %q, after\n%s", code, replayed, stderr, outcomes, out)
	}
	out, stderr, code = start(t, nil, "-once", "-replay", recording, paths[2]).end()
	if code != 1 || !strings.Contains(stderr, "was not recorded. The nearest is emulated-image-generateContent-") || !strings.Contains(stderr, "requests were not in the recording") {
		t.Errorf("-replay of another photo: exit code %d, errors %q, want 1 and the miss, after\n%s", code, stderr, out)
	}
}
