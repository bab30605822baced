package main

import (
	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/openweather"
	"example.com/whatis/emulators/site"
)

// startGemini, startWeather and startWeb start emulators that -real replaces by the real
// services.
func (w *world) startGemini(schemaBudget int, pace gemini.Pace) (err error) {
	w.gemini, err = at(geminiPort, func(addr string) (*gemini.Server, error) {
		wire := gemini.Options{Addr: addr, APIKey: emulatedKey, SchemaBudget: schemaBudget, Pace: pace}
		if w.ollama != nil {
			return w.ollama.Start(wire)
		}
		return answers.Start(wire, answers.Options{})
	})
	if err == nil {
		w.closers = append(w.closers, func() { _ = w.gemini.Close() })
	}
	return err
}

func (w *world) startWeather() (err error) {
	w.weather, err = at(weatherPort, func(addr string) (*openweather.Server, error) {
		return openweather.Start(openweather.Options{Addr: addr})
	})
	if err == nil {
		w.closers = append(w.closers, func() { _ = w.weather.Close() })
	}
	return err
}

func (w *world) startWeb() (err error) {
	w.web, err = at(sitePort, func(addr string) (*site.Server, error) {
		return site.Start(site.Options{Addr: addr})
	})
	if err == nil {
		w.closers = append(w.closers, w.web.Close)
	}
	return err
}
