package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/replay"
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

// With -real it is the real service that is recorded, here an emulator in its place,
// and no key of it is kept.
func TestRecordReal(t *testing.T) {
	t.Parallel()
	const key = "AIzaSyTestKeyOfNobody_0123456789abcdefg"
	service, err := answers.Start(gemini.Options{APIKey: key}, answers.Options{Tesseract: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	dir := t.TempDir()
	sample := samples.All()[0]
	photo := filepath.Join(dir, sample.File)
	if err := os.WriteFile(photo, sample.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	recording := filepath.Join(dir, "recording")
	out, stderr, code := start(t, []string{"GOOGLE_API_KEY=" + key, "GOOGLE_GEMINI_BASE_URL=" + service.URL()}, "-once", "-real", "-record", recording, photo).end()
	if _, outcomes := columns(out); code != 0 || !slices.Equal(outcomes, []string{"image"}) || !strings.Contains(out, "REAL MODEL") {
		t.Fatalf("-real -record: exit code %d, %q, errors %q, want 0 and image, after\n%s", code, outcomes, stderr, out)
	}
	made, err := replay.ReadRecording(recording)
	if err != nil || made.Upstream != service.URL() || len(made.Settings) > 0 {
		t.Errorf("the recording is %+v, %v; want one of %s with the defaults", made, err, service.URL())
	}
	files, err := os.ReadDir(recording)
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v; want what was asked", len(files), err)
	}
	for _, f := range files {
		if data, err := os.ReadFile(filepath.Join(recording, f.Name())); err != nil || strings.Contains(string(data), key) {
			t.Errorf("%s holds the key, or cannot be read: %v", f.Name(), err)
		}
	}
	out, stderr, code = start(t, nil, "-once", "-replay", recording, photo).end()
	if _, outcomes := columns(out); code != 0 || !slices.Equal(outcomes, []string{"image"}) {
		t.Errorf("-replay of it: exit code %d, %q, errors %q, want 0 and image", code, outcomes, stderr)
	}
}
