package history

// ExecSchema names the JSON form of an Exec.
const ExecSchema = "paytwice.exec/1"

// Exec is what crashing a program at its durable system calls found.
type Exec struct {
	Schema string `json:"schema"`
	// Calls counts the durable calls of the undisturbed run.
	Calls int `json:"calls"`
	// Cases, Landed and States sum both kinds of crash.
	Cases      int             `json:"cases"`
	Landed     int             `json:"landed"`
	States     int             `json:"states"`
	Kills      ExecColumn      `json:"kills"`
	PowerLoss  *ExecColumn     `json:"power_loss,omitempty"`
	Violations []ExecViolation `json:"violations"`
	Complete   bool            `json:"complete"`
	LeftOut    string          `json:"left_out"`
	// Model says what bounds the model of power loss.
	Model   string   `json:"model,omitempty"`
	Outside []string `json:"outside,omitempty"`
	Mapped  []string `json:"mapped,omitempty"`
	// Reordered counts kills before which the threads' recorded order could not be repeated.
	Reordered int `json:"reordered,omitempty"`
}

// ExecColumn holds the figures of one kind of crash; Violations counts cases, per invariant.
type ExecColumn struct {
	Cases      int            `json:"cases"`
	Landed     int            `json:"landed"`
	States     int            `json:"states"`
	Violations map[string]int `json:"violations"`
}

// ExecViolation is one broken invariant in one case.
type ExecViolation struct {
	Invariant string `json:"invariant"`
	Plan      string `json:"plan"`
	Call      string `json:"call"`
	Path      string `json:"path"`
	Detail    string `json:"detail"`
	Replay    string `json:"replay"`
}
