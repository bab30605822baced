package forecast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// cacheStore is the level 2 cache: finished forecasts in the bucket, which deletes them
// after a week. What was read is remembered by generation, so that a cached forecast costs one
// list, or two if it is asked for by coordinates.
type cacheStore struct {
	objects *blob.Store
	bucket  string
	seen    contents
}

// contents is an otter.Cache of objects' bytes by name and generation. A field of that type
// would have each package that names a Pipeline compile its thousand generic functions again.
type contents interface {
	GetIfPresent(key string) ([]byte, bool)
	Set(key string, data []byte) ([]byte, bool)
}

// seenBytes bounds the objects that a cacheStore remembers.
const seenBytes = 4 << 20

func newCacheStore(objects *blob.Store, bucket string) cacheStore {
	return cacheStore{objects, bucket, otter.Must(&otter.Options[string, []byte]{
		MaximumWeight: seenBytes, Weigher: func(key string, data []byte) uint32 { return uint32(len(key) + len(data)) },
	})}
}

// readListed returns the bytes of an object that a list named with this generation; they are
// read once. Callers must not change them.
func (s cacheStore) readListed(ctx context.Context, name string, generation int64) ([]byte, error) {
	key := fmt.Sprint(name, "#", generation)
	if data, ok := s.seen.GetIfPresent(key); ok {
		return data, nil
	}
	data, _, err := s.objects.Read(ctx, blob.ObjectRef{Bucket: s.bucket, Name: name}, maxKept) // a newer one if it was replaced since
	if err == nil {
		s.seen.Set(key, data)
	}
	return data, err
}

// kept is a forecast as its facts file stores it. It is complete once its text file
// exists, which is written last.
type kept struct {
	Place    openweather.Place `json:"place"`
	Units    string            `json:"units"`
	Type     string            `json:"type"`
	Lang     string            `json:"lang"`
	Text     string            `json:"forecast_text"`
	Tone     string            `json:"tone"`
	Facts    []Fact            `json:"facts"`
	Days     []Day             `json:"days,omitempty"`
	Hours    []Hour            `json:"hours,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`
	CostUSD  float64           `json:"cost_usd"`
	At       time.Time         `json:"at"`
	// Until is when today is over at the place, and with it what a text calls today, tomorrow or
	// the weekend; zero for the current weather.
	Until time.Time `json:"until,omitzero"`

	audio bool // the audio file exists
}

// maxKept bounds the files that are read, in bytes.
const maxKept = 64 << 20

// name matches the name of a text, a facts or an audio file.
var name = regexp.MustCompile(`^(forecast_(?:text|facts|audio)_)(\d{4}-\d\d-\d\d_\d{6})\.(?:txt|json|wav)$`)

// A listed is a forecast as the names of its files describe it.
type listed struct {
	place, which string
	at           time.Time
	text, audio  int64 // sizes of the files in bytes, 0 if missing
	facts        int64 // generation of the file, 0 if missing
}

// list returns the forecasts below a prefix, the newest first. It skips other files, and
// forecasts with a time in the future.
func (s cacheStore) list(ctx context.Context, prefix string, now time.Time) ([]listed, error) {
	all := map[string]*listed{}
	for o, err := range s.objects.List(ctx, s.bucket, prefix) {
		if err != nil {
			return nil, fmt.Errorf("forecast: %w", err)
		}
		parts := strings.Split(strings.TrimPrefix(o.Name, root), "/")
		if len(parts) != 3 {
			continue
		}
		m := name.FindStringSubmatch(parts[2])
		if m == nil {
			continue
		}
		at, err := time.Parse(stamp, m[2])
		if err != nil || at.After(now) {
			continue
		}
		key := parts[0] + "/" + parts[1] + "/" + m[2]
		if all[key] == nil {
			all[key] = &listed{place: parts[0], which: parts[1], at: at}
		}
		switch m[1] {
		case textName:
			all[key].text = o.Size
		case factsName:
			all[key].facts = o.Generation
		default:
			all[key].audio = o.Size
		}
	}
	found := []listed{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if all[key].text > 0 {
			found = append(found, *all[key])
		}
	}
	slices.SortStableFunc(found, func(a, b listed) int { return b.at.Compare(a.at) })
	return found, nil
}

// newest returns the newest readable forecast of v.
func (s cacheStore) newest(ctx context.Context, v variant, now time.Time) (kept, bool, error) {
	all, err := s.list(ctx, v.dir(), now)
	if err != nil {
		return kept{}, false, err
	}
	for _, l := range all {
		k, err := s.read(ctx, l)
		if err == nil {
			k.Place = v.place
			return k, true, nil
		}
		if !errors.Is(err, errUnreadable) {
			return kept{}, false, err
		}
	}
	return kept{}, false, nil
}

// errUnreadable marks a forecast whose files are missing or broken.
var errUnreadable = errors.New("forecast: its files cannot be read")

// read reads the forecast that l lists.
func (s cacheStore) read(ctx context.Context, l listed) (k kept, err error) {
	if l.facts == 0 {
		return k, errUnreadable
	}
	file := root + l.place + "/" + l.which + "/" + factsName + l.at.Format(stamp) + ".json"
	data, err := s.readListed(ctx, file, l.facts)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return k, errUnreadable
	case err != nil:
		return k, fmt.Errorf("forecast: %w", err)
	case json.Unmarshal(data, &k) != nil || k.Text == "" || int64(len(k.Text)) != l.text:
		return k, errUnreadable
	}
	k.At, k.audio = l.at, l.audio > 0
	return k, nil
}

// put stores a forecast, its text last.
func (s cacheStore) put(ctx context.Context, v variant, k kept) error {
	data, err := json.Marshal(k)
	if err == nil {
		err = s.write(ctx, v.factsFile(k.At), "application/json", data)
	}
	if err == nil {
		err = s.write(ctx, v.textFile(k.At), "text/plain; charset=utf-8", []byte(k.Text))
	}
	return err
}

func (s cacheStore) write(ctx context.Context, name, kind string, data []byte) error {
	_, err := s.objects.Replace(ctx, blob.Place{Bucket: s.bucket, Name: name, ContentType: kind}, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("forecast: %w", err)
	}
	return nil
}

// ErrNoAudio is the error of missing audio.
var ErrNoAudio = usererror.New("forecast", "there is no such audio: ask for the forecast with audio=true, and take its audio_url")

// part matches the parts of an audio's address.
var part = regexp.MustCompile(`^[\p{L}\p{M}\p{N}.-]+$`)

// Audio returns the WAV of a forecast, by the parts of its audio_url.
func (p *Pipeline) Audio(ctx context.Context, place, which, timestamp string) ([]byte, error) {
	at, err := time.Parse(stamp, timestamp)
	if err != nil || !part.MatchString(place) || !part.MatchString(which) {
		return nil, ErrNoAudio
	}
	file := root + place + "/" + which + "/" + audioName + at.Format(stamp) + ".wav"
	data, _, err := p.Objects.Read(ctx, blob.ObjectRef{Bucket: p.Bucket, Name: file}, maxKept)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, ErrNoAudio
	}
	return data, err
}

// History returns forecasts of a city, of all units, types and languages, the newest first: at
// most limit, and the cursor of the next page for after, "" after the last. A bad cursor is
// store.ErrCursor.
func (p *Pipeline) History(ctx context.Context, city, after string, limit int) (found []Result, next string, err error) {
	place, err := p.place(ctx, city)
	if err != nil {
		return nil, "", err
	}
	if !p.mayList(ctx, place.ID) {
		return []Result{}, "", nil
	}
	all, err := p.store.list(ctx, root+place.ID+"/", p.Now())
	if err == nil {
		all, next, err = pageOf(all, after, limit)
	}
	if err != nil {
		return nil, "", err
	}
	found = []Result{}
	for _, l := range all {
		k, err := p.store.read(ctx, l)
		if errors.Is(err, errUnreadable) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		v := variant{place: place, units: k.Units, kind: strings.Split(l.which, "-")[1], lang: k.Lang}
		found = append(found, p.result(v, k, true))
	}
	return found, next, nil
}

// pageOf returns at most limit of a place's forecasts, the newest first, that come behind the
// cursor after, and the cursor of those behind them, "" if there are none.
func pageOf(all []listed, after string, limit int) (page []listed, next string, err error) {
	if after != "" {
		c, err := store.ParseCursor(after, store.ByTime)
		if err != nil {
			return nil, "", err
		}
		all = slices.DeleteFunc(all, func(l listed) bool { return l.at.After(c.At) || l.at.Equal(c.At) && l.which <= c.ID })
	}
	if len(all) > limit {
		all = all[:limit]
		next = store.Cursor{At: all[limit-1].at, ID: all[limit-1].which}.String()
	}
	return all, next, nil
}

// Stats describe the caches, and count the calls of this instance since its start.
type Stats struct {
	TotalCities   int      `json:"total_cities"`
	ValidCities   int      `json:"cities_with_valid_cache"`
	CachedCities  []string `json:"cached_cities"` // those with a valid cache that have a name, and the coordinates for which the caller asked
	TTLSeconds    int      `json:"ttl_seconds"`
	TTLReadable   string   `json:"ttl_readable"`
	Hits          int64    `json:"hits"`
	Misses        int64    `json:"misses"`
	UpstreamCalls int64    `json:"upstream_calls"`
	GenerateCalls int64    `json:"generate_calls"`
	SpeechCalls   int64    `json:"speech_calls"`
	CostUSD       float64  `json:"cost_usd"`
}

// Stats returns the state of the caches and the counts of this instance.
func (p *Pipeline) Stats(ctx context.Context) (Stats, error) {
	all, err := p.store.list(ctx, root, p.Now())
	s := Stats{
		CachedCities: []string{}, TTLSeconds: int(p.Fresh.Seconds()), TTLReadable: fmt.Sprintf("%d minutes", int(p.Fresh.Minutes())),
		Hits: p.count.hits.Load(), Misses: p.count.misses.Load(), UpstreamCalls: p.Weather.Calls(),
		GenerateCalls: p.count.written.Load(), SpeechCalls: p.count.spoken.Load(), CostUSD: float64(p.count.microUSD.Load()) / 1e6,
	}
	cities := map[string]bool{}
	for _, l := range all {
		cities[l.place] = cities[l.place] || p.Now().Sub(l.at) < p.Fresh
	}
	for _, city := range slices.Sorted(maps.Keys(cities)) {
		if cities[city] {
			s.ValidCities++
		}
		if cities[city] && p.mayList(ctx, city) {
			s.CachedCities = append(s.CachedCities, city)
		}
	}
	s.TotalCities = len(cities)
	return s, err
}
