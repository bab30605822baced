package blob_test

import (
	"testing"

	"example.com/whatis/internal/blob"
)

func TestFolderOf(t *testing.T) {
	for name, want := range map[string]string{
		"batches/a": blob.Batches, "catalog/x.json": blob.Catalogues, "discoveries/1/result": blob.Discoveries, "forecasts/": blob.Forecasts, "scraped_content/KE/waste/1/0a": blob.WebPages,
		"": "", "a.jpg": "", "batches": "", "my/batches/a": "", "/batches/a": "", "Batches/a": "", "batches.jpg": "", "discoveries": "",
	} {
		if got := blob.FolderOf(name); got != want {
			t.Errorf("FolderOf(%q) = %q, want %q", name, got, want)
		}
	}
}
