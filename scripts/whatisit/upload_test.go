package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"cloud.google.com/go/storage"

	"example.com/whatis/emulators/emulate"
)

// bucketful returns the buckets uploads and results.
func bucketful(t *testing.T, services ...emulate.Service) (*emulate.World, *storage.Client) {
	t.Helper()
	w := emulate.Start(t, append(services, emulate.Storage)...)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	return w, emulate.StorageClient(t, w)
}

// landed waits for an upload.
func landed(t *testing.T, c *storage.Client, name string) *storage.ObjectAttrs {
	t.Helper()
	for t.Context().Err() == nil {
		attrs, err := c.Bucket("uploads").Object(name).Attrs(t.Context())
		if err == nil {
			return attrs
		}
		if !errors.Is(err, storage.ErrObjectNotExist) {
			t.Fatal(err)
		}
	}
	t.Fatal(t.Context().Err())
	return nil
}

// What comes back is the result of the generation that was uploaded, whatever lay there
// before; one of a later generation is somebody else's.
func TestUpload(t *testing.T) {
	t.Parallel()
	const bytes = "bytes\x00\r\n--of a photo"
	w, objects := bucketful(t)
	env := append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results")
	tests := []struct {
		name  string // of the photo
		later int64  // how much later a generation has the result
		error string
		code  int
		says  string
	}{
		{"a.jpg", 0, "", 0, "[1/1] "},
		{"b c ㄱ%41?.jpg", 0, "Unable to identify product image", 0, "no product"},
		{`quo"te's\.jpg`, 0, "analysis_failed", 1, "failed: quota"},
		{"late.jpg", 1, "", 1, "another photo of that name was uploaded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := prepared(t, env, "upload", "--country", "US", "--lang", "en", test.name)
			write(t, filepath.Join(c.Dir, test.name), bytes)
			w.Put(t, "results", test.name+".json", []byte(`{"image": {"generation": "1"}}`))
			code := make(chan int, 1)
			go func() { code <- c.run() }()
			attrs := landed(t, objects, test.name)
			data, err := objects.Bucket("uploads").Object(test.name).NewReader(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer data.Close()
			if text, err := io.ReadAll(data); err != nil || string(text) != bytes || attrs.Metadata["country"] != "US" || attrs.Metadata["lang"] != "en" {
				t.Errorf("the object = %q, %v with %v; want the photo's bytes, of US and en", text, err, attrs.Metadata)
			}
			result := fmt.Sprintf("{\n  \"error\": %q,\n  \"message\": \"quota\",\n  \"image\": {\n    \"generation\": \"%d\"\n  }\n}\n", test.error, attrs.Generation+test.later)
			w.Put(t, "results", test.name+".json", []byte(result))
			if got := <-code; got != test.code {
				t.Errorf("exit %d, want %d; %q", got, test.code, &c.stderr)
			}
			c.says(test.says)
			if test.later == 0 && c.stdout.String() != result {
				t.Errorf("printed %q, want %q", &c.stdout, result)
			}
		})
	}
}

// Nobody waits, and nothing is written here. A bucket that is not there fails each photo.
func TestUploadOnly(t *testing.T) {
	t.Parallel()
	w, objects := bucketful(t)
	for bucket, code := range map[string]int{"uploads": 0, "nowhere": 1} {
		c := prepared(t, append(w.Env(), "UPLOAD_BUCKET="+bucket), "upload", "--no-wait", "photos")
		write(t, filepath.Join(c.Dir, "photos", "one.jpg"), "1")
		write(t, filepath.Join(c.Dir, "photos", "two.png"), "2")
		if got := c.run(); got != code || c.stdout.Len() > 0 || len(left(t, c.Dir)) > 1 {
			t.Errorf("to %s: exit %d, %q, %v; want %d and nothing", bucket, got, &c.stdout, left(t, c.Dir), code)
		}
		c.says("[1/2] photos/one.jpg", "[2/2] photos/two.png", map[int]string{0: "uploaded to gs://uploads/two.png", 1: "not uploaded"}[code])
	}
	if got := landed(t, objects, "two.png"); got.Size != 1 || len(got.Metadata) > 0 {
		t.Errorf("the object is %+v, want the byte and no metadata", got)
	}
}
