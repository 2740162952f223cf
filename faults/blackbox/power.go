package blackbox

// PowerLimits bound the model of power loss. Zero fields mean the defaults.
type PowerLimits struct {
	Images int
}

func (l PowerLimits) withDefaults() PowerLimits { return l }

type powerLog struct{}

type recorder struct{}

func (r *recorder) snapshot(Service)                            {}
func (r *recorder) finish(*lifeResult, folder, globs) *powerLog { return nil }
