package page_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/sync/errgroup"
)

// patience is the time limit for anything on the page, on the slowest machine.
const patience = time.Minute

// atOnce is how many tests run at the same time: they wait more than they compute.
const atOnce = 4

// A tab is a browser tab with the page. Errors in its console fail the test that has it.
type tab struct {
	*testing.T
	ctx     context.Context
	close   context.CancelFunc
	leaving atomic.Bool // the page may ask before it is closed
	origin  string      // of the page that the last test left

	mu      sync.Mutex
	noise   []string
	allowed []string
}

// A browser has as many tabs as tests run at the same time. A test has its tab for itself,
// with cookies and storage that no other tab sees, and leaves it to the next, as opening
// one takes longer than many tests. Each test has its own service, at an address of an earlier
// one if there is any: the tab that was there has the page's files, which never change, and need
// not compile them anew.
type browser struct {
	ctx   context.Context
	err   error
	close func()

	mu   sync.Mutex
	idle []*tab
}

// chromium starts the browser in the PATH, best one that has no windows to draw: it takes half
// the time. It outlives the tests.
var chromium = sync.OnceValue(func() *browser {
	path, err := lookUp("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
	if err != nil {
		return &browser{err: err, close: func() {}}
	}
	dir, err := os.MkdirTemp("", "whatis-page-")
	if err != nil {
		return &browser{err: err, close: func() {}}
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.WSURLReadTimeout(patience), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true), chromedp.Flag("autoplay-policy", "no-user-gesture-required"), chromedp.Flag("hide-scrollbars", true))
	if !*update { // Without memory to draw in it draws nothing, which saves a seventh of all time. Only screenshots need what is drawn: the other tests ask for texts and places.
		options = append(options, chromedp.Flag("force-gpu-mem-available-mb", "0"))
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ = chromedp.NewContext(ctx)
	c := &browser{ctx: ctx, err: chromedp.Do(ctx), close: func() {
		_ = chromedp.Cancel(ctx) // waits until it has exited
		stop()
		_ = os.RemoveAll(dir)
	}}
	for range atOnce {
		if c.err == nil {
			var b *tab
			b, c.err = c.another()
			c.idle = append(c.idle, b)
		}
	}
	return c
})

// another opens a tab with cookies and storage of its own.
func (c *browser) another() (*tab, error) {
	b := &tab{}
	b.ctx, b.close = chromedp.NewContext(c.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.hear))
	return b, chromedp.Do(b.ctx, focused, unreported)
}

// lookUp returns the path of the first program in names that is installed.
func lookUp(names ...string) (path string, err error) {
	for _, name := range names {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// looked is set once there is a browser to close.
var looked atomic.Bool

// free returns a tab that no test has, best the one that was at origin last.
func (c *browser) free(origin string) (*tab, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) == 0 { // a test has two, or has failed
		return c.another()
	}
	at := max(0, slices.IndexFunc(c.idle, func(b *tab) bool { return b.origin == origin }))
	b := c.idle[at]
	c.idle = slices.Delete(c.idle, at, at+1)
	return b, nil
}

// blank gives t an empty tab at desktop width, for a page of origin.
func blank(t *testing.T, origin string) *tab {
	t.Helper()
	looked.Store(true)
	c := chromium()
	if errors.Is(c.err, exec.ErrNotFound) {
		t.Skip("no chromium on the PATH: the page was not looked at")
	}
	if c.err != nil {
		t.Fatal(c.err)
	}
	b, err := c.free(origin)
	if err != nil {
		t.Fatal(err)
	}
	b.T = t
	t.Cleanup(func() { c.leave(b) }) // before the service stops
	b.do(b.desktop())
	return b
}

// open opens url in a tab.
func open(t *testing.T, url string) *tab {
	t.Helper()
	b := blank(t, originOf(t, url))
	b.do(chromedp.Navigate(url))
	b.until(listening)
	return b
}

// originOf returns the origin of an address.
func originOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Scheme + "://" + u.Host
}

// leave gives b back for another test, but for what a failed test left, which is closed. The page
// itself goes to the empty one, which then has its process and its origin; the browser would start
// another process for it, and one more for the next page.
func (c *browser) leave(b *tab) {
	b.Helper()
	if b.Failed() {
		b.quiet()
		b.close()
		return
	}
	b.leaving.Store(true)
	b.origin = eval[string](b, `origin`)
	b.do(chromedp.Evaluate[chromedp.Void](`location.replace("about:blank")`))
	b.until(`location.href === "about:blank"`)
	b.do(forgetful)
	b.quiet()
	b.leaving.Store(false)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, b)
}

// listening is true when the view that is shown is loaded: from then on it handles events.
const listening = `document.querySelector("nav a[aria-current]") !== null && !document.querySelector("main > section[aria-busy]")`

// reload reloads the page and waits until it handles events; a photo chosen before would be
// ignored.
func (b *tab) reload() {
	b.Helper()
	b.do(chromedp.Reload())
	b.until(listening)
}

// inLanguage reloads the page in a language. The cookie is read, as a reload could overtake what
// is only written.
func (b *tab) inLanguage(lang string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.cookie = "whatis.lang=" + %q + "; path=/"; document.cookie`, lang)))
	b.reload()
}

// sends sends a command to the browser.
func sends[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// focused makes the window have the focus, whatever else is on the screen.
var focused = sends(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})

// forgetful deletes the cookies, which the services of all tests would share as they share
// their host, and what is stored for any of their ports, which other services get.
var forgetful = chromedp.Steps(
	sends(network.ClearBrowserCookies, cdp.Empty{}),
	sends(storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: "*", StorageTypes: "all"}),
)

// unreported has the browser keep events of requests and style sheets to itself. Nothing here
// hears them, and there are more of them than of all else together.
var unreported = chromedp.Steps(sends(network.Disable, cdp.Empty{}), sends(css.Disable, cdp.Empty{}))

// hear records messages of the page's console, and answers if it asks before it is closed:
// until then the tab does nothing else.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		go chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}) // a tab without an answer fails the test by itself
		if !b.leaving.Load() {
			b.noise = append(b.noise, fmt.Sprint("dialog ", e.Type, " ", e.Message))
		}
	case *runtime.EventExceptionThrown:
		b.noise = append(b.noise, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception.Description))
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			b.noise = append(b.noise, fmt.Sprint(e.Type, " ", string(a.Value), a.Description))
		}
	case *log.EventEntryAdded:
		b.noise = append(b.noise, fmt.Sprint(e.Entry.Source, " ", e.Entry.Text, " ", e.Entry.URL))
	}
}

// allow names a console message that the test provokes.
func (b *tab) allow(complaint string) { b.allowed = append(b.allowed, complaint) }

// quiet fails the test if there were other messages, and forgets them.
func (b *tab) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { b.noise, b.allowed = nil, nil }()
	for _, noise := range b.noise {
		known := false
		for _, a := range b.allowed {
			known = known || strings.Contains(noise, a)
		}
		if !known {
			b.Errorf("the page complains: %s", noise)
		}
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatalf("%v\nthe page says:\n%s", err, b.text())
	}
}

// look sets the window's size and colour scheme, without animations. Below 600 pixels it
// emulates a phone. All is sent at once, and drawn once.
func (b *tab) look(width, height int64, scheme string) chromedp.Action[chromedp.Void] {
	phone := width < 600
	all := []chromedp.Action[chromedp.Void]{
		sends(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: phone}),
		sends(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: phone}),
		sends(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		}),
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		var sent errgroup.Group
		for _, send := range all {
			sent.Go(func() error { _, err := send(ctx, t); return err })
		}
		return sent.Wait()
	})
}

// desktop is a window on a laptop.
func (b *tab) desktop() chromedp.Action[chromedp.Void] { return b.look(1180, 900, "light") }

// eval returns the value of a JavaScript expression.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// text returns where the page is, what has the focus, and its text, if they can be read.
func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + document.activeElement?.outerHTML.slice(0, 200) + "\n" + document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// reloaded matches the errors of a page that was reloaded during a call.
var reloaded = regexp.MustCompile(`Cannot find context|navigated or closed|context was destroyed`)

// until waits until a JavaScript expression is true, even if the page is reloaded
// meanwhile.
func (b *tab) until(expression string) {
	b.Helper()
	poll := chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience))
	_, err := chromedp.Run(b.ctx, poll)
	for start := time.Now(); err != nil && reloaded.MatchString(err.Error()) && time.Since(start) < patience; {
		_, err = chromedp.Run(b.ctx, poll)
	}
	if err != nil {
		b.Fatalf("waiting for %s: %v\nthe page says:\n%s", expression, err, b.text())
	}
}

// awaits waits until is returns true, which what says in words: for what the page cannot see.
func (b *tab) awaits(what string, is func() bool) {
	b.Helper()
	for start := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > patience {
			b.Fatalf("waiting until %s\nthe page says:\n%s", what, b.text())
		}
	}
}

// shows waits until the elements of a selector have these texts.
func (b *tab) shows(selector string, texts ...string) {
	b.Helper()
	for _, text := range texts {
		b.until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => e.textContent.includes(%q))`, selector, text))
	}
}

func (b *tab) count(selector string) int {
	b.Helper()
	return eval[int](b, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}

// stays is true once the element of a selector has been the same for two looks, with its view
// loaded: a click on one that is about to be replaced would be lost.
const stays = `(() => { const e = document.querySelector(%q), same = e !== null && e === window.lookedAt; window.lookedAt = e; return same && ` + listening + `; })()`

// click clicks the element of a selector, and again if the page has replaced it meanwhile.
func (b *tab) click(selector string) {
	b.Helper()
	b.until(fmt.Sprintf(stays, selector))
	for start := time.Now(); ; {
		ctx, cancel := context.WithTimeout(b.ctx, patience/10)
		err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector)))
		cancel()
		if err == nil {
			return
		}
		if time.Since(start) > patience {
			b.Fatalf("click on %s: %v\nthe page says:\n%s", selector, err, b.text())
		}
	}
}

// press presses keys one after the other. A key that the page has used types nothing, as that of
// a keyboard.
func (b *tab) press(keys string) {
	b.Helper()
	b.do(chromedp.KeyEvent(keys, func(key *input.DispatchKeyEventParams) {
		if key.Type == kb.KeyDown {
			key.Type = kb.KeyRawDown
		}
	}))
}

// fill replaces what a field holds by words, at once as a paste does. A last \r or \t is pressed.
func (b *tab) fill(field, words string) {
	b.Helper()
	b.until(fmt.Sprintf(`document.querySelector(%q)?.checkVisibility()`, field))
	text := strings.TrimRight(words, "\r\t")
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const e = document.querySelector(%q); e.focus(); e.select(); document.execCommand("insertText", false, %q); }`, field, text)))
	b.press(words[len(text):])
}

func (b *tab) choose(paths ...string) {
	b.Helper()
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), paths))
}

// fits checks a view's layout and accessibility in every scheme and width.
func (b *tab) fits(view string) {
	b.Helper()
	b.within(view, 360)
	if small := eval[[]string](b, smallTargets); len(small) > 0 {
		b.Errorf("%s has targets below 44 pixels on a phone: %q", view, small)
	}
	b.within(view, 768)
	b.do(b.desktop())
	b.named(view)
}

// within checks that nothing extends beyond the right edge of a screen.
func (b *tab) within(view string, width int64) {
	b.Helper()
	b.do(b.look(width, 740, "dark"))
	if got := eval[int](b, `document.documentElement.scrollWidth`); got > int(width) {
		b.Errorf("%s is %d pixels wide on a screen of %d: %s", view, got, width, eval[string](b, wide))
	}
}

// wide lists elements that extend beyond the right edge.
const wide = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.tagName + "." + e.className).join(" ")`

// smallTargets lists controls that are too small for a finger. Links inside text and
// switches with a large label are excepted.
const smallTargets = `[...document.querySelectorAll("button, nav a, summary, input, select, .button, .gallery a, .list a, .switch")]
	.filter((e) => e.type !== "checkbox" && e.offsetParent && e.getBoundingClientRect().height < 44).map((e) => e.outerHTML.slice(0, 80))`

// roles are the roles that require a name.
var roles = map[string]bool{
	"button": true, "link": true, "textbox": true, "combobox": true, "checkbox": true, "switch": true, "spinbutton": true, "meter": true,
	"progressbar": true, "searchbox": true, "log": true, "dialog": true, "Iframe": true, "DisclosureTriangle": true, "navigation": true,
}

// named checks that every control in the accessibility tree has a name.
func (b *tab) named(view string) {
	b.Helper()
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.Fatal(err)
	}
	seen := 0
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil || !roles[said(n.Role)] {
			continue
		}
		seen++
		if said(n.Name) == "" {
			b.Errorf("%s has a %s without a name", view, said(n.Role))
		}
	}
	if seen < 3 {
		b.Errorf("%s has %d controls in the accessibility tree, want more", view, seen)
	}
}

// said returns the text of a value in the accessibility tree.
func said(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var s string
	_ = json.Unmarshal(v.Value, &s) // only strings are names
	return strings.TrimSpace(s)
}
