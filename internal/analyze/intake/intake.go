// Package intake turns one photo into one result, exactly once.
//
//	delivery → Job → Intake.Run: photo → analyze → <name>.json in the results bucket
//	upload over HTTP → Photo → Intake.Run: photo → analyze → Result
//
// Run does each job once, stores results and publishes them (package jobs). This
// package does the work itself: it reads photos, limits their memory, and writes
// results.
package intake

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/photo"
)

// Config configures an Intake.
type Config struct {
	Pipeline *analyze.Pipeline
	Objects  *blob.Store
	Work     *jobs.Store
	Memory   *admission.Limiter // of photos
	Events   *queue.Topic       // gets each finished result; nil publishes none
	Failures *queue.Topic       // gets each photo that is given up; nil publishes none
	Results  string             // bucket of the results
	Readable []string           // buckets whose photos may be asked for by URI
	// MayRead returns an error if a caller may not ask for those photos, nor see what others asked
	// for; nil lets everybody.
	MayRead func(context.Context) error
	// Asker tells callers apart. They see what they asked for themselves. One who may be several
	// people, such as an address, is not sure. nil tells nobody apart.
	Asker    func(context.Context) (who string, sure bool)
	Defaults Options
	Limits   photo.Limits
	// KeepThumbnails keeps the thumbnail that a photo was sent with, and its file name, with its
	// result, and for a doubtful result a small picture of the photo.
	KeepThumbnails bool
	Tier           gemini.Tier       // of deliveries without a tier; "" is the standard tier
	DB             *firestore.Client // has the barcodes of photos to be grouped by them

	GroupQuiet time.Duration // how long no photo has come into a group that is complete; 0 is a minute

	GiveUpAfter time.Duration // the age at which a photo is given up, see jobs.ExecutorConfig
}

// An Intake reads and analyses photos. It is safe for concurrent use.
type Intake struct {
	Config
	Run jobs.Runner[analyze.Result, *agent.Event]
}

// New returns an intake for c.
func New(c Config) (*Intake, error) {
	for field, missing := range map[string]bool{
		"Pipeline": c.Pipeline == nil, "Objects": c.Objects == nil, "Work": c.Work == nil,
		"Memory": c.Memory == nil, "Results": c.Results == "", "DB": c.DB == nil,
	} {
		if missing {
			return nil, fmt.Errorf("intake: Config.%s is not set", field)
		}
	}
	if err := c.Defaults.Check(); err != nil {
		return nil, fmt.Errorf("intake: Config.Defaults: %w", err)
	}
	if err := c.Pipeline.CheckTier(c.Tier); err != nil {
		return nil, fmt.Errorf("intake: Config.Tier: %w", err)
	}
	c.Limits.MaxBytes = cmp.Or(c.Limits.MaxBytes, maxBytes)
	c.GroupQuiet = cmp.Or(c.GroupQuiet, groupQuiet)
	c.Limits.MaxMemory = c.Memory.MaxWork()
	var err error
	if c.Work, err = c.Work.For(Schema); err != nil {
		return nil, fmt.Errorf("intake: %w", err)
	}
	executor, err := jobs.NewExecutor[analyze.Result, *agent.Event](photos{}, jobs.ExecutorConfig{
		Work: c.Work, Events: c.Events, Failures: c.Failures, GiveUpAfter: c.GiveUpAfter,
	})
	if err != nil {
		return nil, fmt.Errorf("intake: %w", err)
	}
	return &Intake{Config: c, Run: executor}, nil
}

// maxBytes bounds the file of a photo.
const maxBytes = 30 << 20
