package blackbox

import (
	"context"
	"strings"
	"sync"
)

// powerLoss recovers and judges the folders that power cuts could have left.
func (s *sweep) powerLoss(ctx context.Context) error {
	set, err := Images(s.trace, s.b.cfg.Power)
	if err != nil {
		return err
	}
	s.report.Power, s.report.Images = set.Caps, set.Distinct
	if u := s.trace.log.unexplained; len(u) > 0 {
		s.report.Power += "; changed in ways that are not traced: " + strings.Join(u[:min(len(u), 5)], ", ")
	}
	s.meter.phase("power loss", set.Len())
	s.report.PowerLoss.Cases = set.Len()
	edges := make([]edge, set.Len())
	images := make(chan Image)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(images)
		for im := range set.All() {
			select {
			case images <- im:
			case <-stop:
				return
			}
		}
	}()
	var take sync.Mutex
	next := 0
	err = s.parallel(ctx, set.Len(), func(ctx context.Context, worker, _ int) error {
		take.Lock()
		im := <-images
		i := next
		next++
		take.Unlock()
		var err error
		edges[i], err = s.cut(ctx, worker, im)
		return err
	})
	for _, e := range edges {
		if e.to != nil {
			s.report.PowerLoss.Landed++
			s.cuts = append(s.cuts, e)
		}
	}
	return err
}

// cut does one power cut, and recovers its folder if that is new.
func (s *sweep) cut(ctx context.Context, worker int, im Image) (edge, error) {
	recorded := s.b.place(0)
	root, release := s.b.take(worker, im.folder.home(recorded))
	defer release()
	sc := &scene{b: s.b, root: root}
	e := edge{point: im.Cut.At, cut: &im, acked: im.Acked}
	if err := sc.reset(ctx, im.folder, im.state); err != nil {
		return e, err
	}
	defer func() { _ = sc.service.Close() }()
	key := stateKey{im.folder.digest(recorded, s.b.cfg.Ignore), im.key}
	var err error
	e.to, err = s.reach(ctx, sc, im.folder, key, im.Acked, s.b.cfg.Crashes)
	im.folder = nil
	return e, err
}
