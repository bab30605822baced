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

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/jobs/queue"
)

// emulatedWeb starts the service in this process with a model, emulators, a small web to
// search, and a worker for its tasks.
func (w where) emulatedWeb(ctx context.Context, c *console, model string, of site.Options) (*service, *site.Server, error) {
	if os.Getenv("K_SERVICE") != "" {
		return nil, nil, errDeployed
	}
	models, err := answerersOf(ctx, model, answers.Options{})
	if err != nil {
		return nil, nil, err
	}
	world, err := startWorld(models)
	var web *site.Server
	var tasks *pubsub.Server
	if err == nil {
		web, tasks, err = world.startWeb(of)
	}
	if err != nil {
		world.close()
		return nil, nil, fmt.Errorf("emulators: %w", err)
	}
	who := map[string]string{modelEmulated: "EMULATED MODEL AND WEB", modelPerfect: "PERFECT MODEL, EMULATED WEB", modelNone: "NO MODEL, EMULATED WEB", modelLocal: "LOCAL MODEL, EMULATED WEB"}
	c.say("%s: a small invented web of %s. Nothing on it is true.", who[model], placesOf(web, "; "))
	s, err := w.here(ctx, c)
	if err == nil {
		err = world.work(ctx, tasks)
	}
	if err != nil {
		world.close()
		return nil, nil, err
	}
	stop := s.close
	s.local, s.close = models.local, func() { stop(); world.close() }
	return s, web, nil
}

// tasksTopic is the topic of tasks.
const tasksTopic = "projects/emulated/topics/tasks"

// placesOf joins the places of a web.
func placesOf(web *site.Server, between string) string {
	var names []string
	for _, p := range web.Places() {
		names = append(names, p.String())
	}
	return strings.Join(names, between)
}

// startWeb starts the small web and the Pub/Sub emulator for tasks.
func (w *world) startWeb(of site.Options) (web *site.Server, tasks *pubsub.Server, err error) {
	if web, err = site.Start(of); err != nil {
		return nil, nil, err
	}
	w.closers = append(w.closers, web.Close)
	if tasks, err = pubsub.Start(pubsub.Options{}); err != nil {
		return nil, nil, err
	}
	w.closers = append(w.closers, tasks.Close)
	return web, tasks, errors.Join(tasks.CreateTopic(tasksTopic), setVariables(map[string]string{
		"PUBSUB_EMULATOR_HOST": tasks.Addr(), "TASKS_TOPIC": tasksTopic, "BRAVE_SEARCH_BASE_URL": web.SearchURL(), "BRAVE_SEARCH_API_KEY": web.Token(),
		"FETCH_ALLOW": web.Allow(), "EMULATED_WEB": placesOf(web, ";"),
	}))
}

// work runs tasks as they arrive, until w is closed. A failed task is run again.
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
				err := a.Tasks().Dispatch(ctx, queue.Delivery{Data: m.Data, Meta: queue.Meta{Published: m.PublishTime}})
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
