package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"example.com/whatis/emulators/minds"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/task"
)

// emulatedWeb is the service in this process over emulators, with a small web to seek
// on, and somebody who does its tasks.
func (w where) emulatedWeb(ctx context.Context, c *console) (*service, error) {
	if os.Getenv("K_SERVICE") != "" {
		return nil, usage("K_SERVICE is set, as on Cloud Run: nothing emulated may serve there")
	}
	world, err := startWorld(minds.Options{})
	var places string
	var tasks *pubsub.Server
	if err == nil {
		places, tasks, err = world.startWeb()
	}
	if err != nil {
		world.close()
		return nil, fmt.Errorf("emulators: %w", err)
	}
	c.say("EMULATED MODEL AND WEB: a small web that is made up here, of %s. Nothing on it is true.", places)
	s, err := w.here(ctx, c)
	if err == nil {
		err = world.work(ctx, tasks)
	}
	if err != nil {
		world.close()
		return nil, err
	}
	stop := s.close
	s.close = func() { stop(); world.close() }
	return s, nil
}

// tasksTopic is where tasks go.
const tasksTopic = "projects/emulated/topics/tasks"

// startWeb starts the small web and what tasks go through, and says which places there
// are.
func (w *world) startWeb() (places string, tasks *pubsub.Server, err error) {
	web, err := site.Start(site.Options{})
	if err != nil {
		return "", nil, err
	}
	w.closers = append(w.closers, web.Close)
	if tasks, err = pubsub.Start(pubsub.Options{}); err != nil {
		return "", nil, err
	}
	w.closers = append(w.closers, tasks.Close)
	var names []string
	for _, p := range web.Places() {
		names = append(names, p.String())
	}
	return strings.Join(names, "; "), tasks, errors.Join(tasks.CreateTopic(tasksTopic), setVariables(map[string]string{
		"PUBSUB_EMULATOR_HOST": tasks.Addr(), "TASKS_TOPIC": tasksTopic, "BRAVE_SEARCH_BASE_URL": web.SearchURL(), "BRAVE_SEARCH_API_KEY": web.Token(),
		"FETCH_ALLOW": web.Allow(), "EMULATED_WEB": strings.Join(names, ";"),
		"THINKING_MODEL": "emulated-thinking", "STRUCTURED_MODEL": "emulated-structured", "RELEVANCE_CHECK_MODEL": "emulated-relevance",
	}))
}

// work does tasks as they come, until w is closed. One that goes wrong is done again.
func (w *world) work(ctx context.Context, tasks *pubsub.Server) error {
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return usageError{err}
	}
	a := app.New(config)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var working sync.WaitGroup
	leave := tasks.Subscribe(tasksTopic, func(m pubsub.Message) {
		working.Go(func() {
			for again := 50 * time.Millisecond; ; again = min(2*again, 10*time.Second) {
				err := a.Task(ctx, task.Message{Data: m.Data, Meta: task.Meta{Published: m.PublishTime}})
				if err == nil || ctx.Err() != nil {
					return
				}
				slog.Info("task", "error", err, "again", again)
				_ = sleep(ctx, again)
			}
		})
	})
	w.closers = append([]func(){func() { leave(); cancel(); working.Wait() }}, w.closers...)
	return nil
}
