package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/samples"
)

// dropInBrowser gives ADK's page a photo as a person does: by its file input, with
// words, and by the button that sends them.
func dropInBrowser(t *testing.T, path, page string) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	ctx, stop = chromedp.NewContext(ctx)
	defer stop()
	ctx, stop = context.WithTimeout(ctx, 2*patience)
	defer stop()
	photo := base64.StdEncoding.EncodeToString(samples.All()[0].Bytes())
	steps := []chromedp.Action[chromedp.Void]{
		chromedp.EmulateViewport(1200, 900), chromedp.Navigate(page + "?app=product_analyzer"),
		until(`document.querySelector("input[type=file]") && document.querySelector("textarea.chat-input-box")`),
		chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
			const files = new DataTransfer();
			files.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], "photo.jpg", {type: "image/jpeg"}));
			const input = document.querySelector("input[type=file]");
			input.files = files.files;
			input.dispatchEvent(new Event("change", {bubbles: true}));
			const words = document.querySelector("textarea.chat-input-box");
			words.value = "what is it?";
			words.dispatchEvent(new Event("input", {bubbles: true}));
		})()`, photo)),
		until(`document.body.innerHTML.includes("photo.jpg") || document.querySelector(".file-preview img, .image-preview")`),
		chromedp.Click(chromedp.CSS(".send-message-btn")),
		until(`document.body.innerText.includes("Sea Salt Oat Crackers")`),
	}
	for i, step := range steps {
		if err := chromedp.Do(ctx, step); err != nil {
			text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
			t.Fatalf("step %d of a photo dropped on ADK's page: %v\nthe page says:\n%s", i, err, text)
		}
	}
}

// until waits until a JavaScript expression is true.
func until(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void]("!!("+expression+")", chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(patience))
}
