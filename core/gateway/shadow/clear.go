package shadow

import (
	"maps"
	"time"
)

// Clear forgets the results of a link, so that counting begins again. Exchanges that were received before are not counted.
func (l *Log) Clear(link string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clearLocked(link)
}

func (l *Log) clearLocked(link string) {
	delete(l.links, link)
	l.cleared[link] = l.now()
}

// isStale reports whether an exchange was received before the results of a link were forgotten. The caller holds l.mu.
func (l *Log) isStale(link string, received time.Time) bool {
	at, ok := l.cleared[link]
	return ok && received.Before(at)
}

// SetLinks is called when a chain has begun to serve. settings has a digest of the settings of each of its links by name. The results
// of links whose settings differ from those of the last call are forgotten; so are those of links that were added or removed. Links
// that neither call names keep theirs. The log retains settings.
func (l *Log) SetLinks(settings map[string]string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.settings
	l.settings = settings
	if last == nil { // the first chain of the process
		return
	}
	all := maps.Clone(last)
	maps.Copy(all, settings)
	for name := range all {
		before, had := last[name]
		after, has := settings[name]
		if had != has || before != after {
			l.clearLocked(name)
		}
	}
	maps.DeleteFunc(l.cleared, func(name string, at time.Time) bool { // a link that is gone has no exchange after so long
		_, has := settings[name]
		return !has && l.now().Sub(at) > keepCleared
	})
}

// keepCleared is longer than any exchange runs.
const keepCleared = 24 * time.Hour
