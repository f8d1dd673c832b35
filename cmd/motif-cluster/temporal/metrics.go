package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what a worker counts for Prometheus.
type metrics struct {
	registry           *prometheus.Registry
	run, split, failed prometheus.Counter // units
	seconds            prometheus.Counter
	busy               prometheus.Gauge
}

func newMetrics(slots int) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	units := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "motif_units_total",
		Help: "Units that this worker took, by how they ended: run, split (they needed too much memory) or failed."}, []string{"result"})
	m.run, m.split, m.failed = units.WithLabelValues("run"), units.WithLabelValues("split"), units.WithLabelValues("failed")
	m.seconds = prometheus.NewCounter(prometheus.CounterOpts{Name: "motif_unit_seconds_total", Help: "Time that units took, those that failed too."})
	m.busy = prometheus.NewGauge(prometheus.GaugeOpts{Name: "motif_slots_busy", Help: "Slots that have a batch of units now."})
	all := prometheus.NewGauge(prometheus.GaugeOpts{Name: "motif_slots", Help: "Slots of this worker."})
	all.Set(float64(slots))
	m.registry.MustRegister(units, m.seconds, m.busy, all)
	return m
}

// unit counts a unit that began at some time.
func (m *metrics) unit(began time.Time, how prometheus.Counter) {
	m.seconds.Add(time.Since(began).Seconds())
	how.Inc()
}

// serve answers at an address until ctx ends. It returns the address, whose port it chose if that was 0.
func (m *metrics) serve(ctx context.Context, address string) (net.Addr, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	routes := http.NewServeMux()
	routes.Handle("/metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	s := &http.Server{Handler: routes, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { s.Close() })
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			logger(slog.LevelError).Error("the metrics end", "error", err)
		}
	}()
	return l.Addr(), nil
}
