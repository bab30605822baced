// Package intake turns one photo into one result, exactly once.
//
//	delivery → Job → Intake.Run: photo → analyze → <name>.json in the results bucket
//	upload over HTTP → Photo → Intake.Run: photo → analyze → Result
//
// Run does each job once, remembers results and tells of them (package jobs). What is here
// is the work itself: where photos come from, what they hold in memory, and where
// results go.
package intake

import (
	"cmp"
	"fmt"
	"time"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/photo"
)

// Config is what an Intake is made of.
type Config struct {
	Pipeline *analyze.Pipeline
	Objects  *blob.Store
	Work     *jobs.Store
	Memory   *admission.Limiter // for what photos hold in memory
	Events   *queue.Topic       // is told of each finished result; nil tells nobody
	Failures *queue.Topic       // is told of each photo that is given up; nil tells nobody
	Results  string             // bucket of the results
	Readable []string           // buckets whose photos may be asked for by URI
	Defaults Options
	Limits   photo.Limits
	Tier     gemini.Tier // at which models are asked about deliveries that say nothing else; "" is the standard one

	GiveUpAfter time.Duration // the age at which a photo is given up, as of jobs.ExecutorConfig
}

// An Intake takes photos in. It is safe for concurrent use.
type Intake struct {
	Config
	Run *jobs.Executor[analyze.Result, *agent.Event]
}

// New returns the intake of c.
func New(c Config) (*Intake, error) {
	for field, missing := range map[string]bool{
		"Pipeline": c.Pipeline == nil, "Objects": c.Objects == nil, "Work": c.Work == nil,
		"Memory": c.Memory == nil, "Results": c.Results == "",
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

// maxBytes bounds a photo as it comes in.
const maxBytes = 30 << 20
