package history

// Part says which cases of a run a document holds. A document without one holds its whole run.
type Part struct {
	// Run is what was asked for; two parts of one run say the same.
	Run Asked `json:"run"`
	// Version is that of the program that wrote the document.
	Version string `json:"version"`
	// Build is the SHA-256 of that program's file, in hex: a version need not name the code. It is empty where
	// the file could not be read.
	Build string `json:"build"`
	// Checksum is the SHA-256, in hex, of the rest of the document: what was changed by hand is no part of a run.
	Checksum string `json:"checksum"`
	// Settings counts the settings of the whole run. Each has one case or more.
	Settings int `json:"settings"`
	// Cases are the cases of the document, in the order of what it holds of them.
	Cases []Case `json:"cases"`
	// Unfilled are the points of a matrix that none of the settings looked at passes.
	Unfilled []string `json:"unfilled,omitempty"`
}

// Asked is a command line as far as it decides the result.
type Asked struct {
	Command   string            `json:"command"`
	Arguments []string          `json:"arguments,omitempty"`
	Flags     map[string]string `json:"flags,omitempty"`
}

// Case is one plan of one setting of a matrix, or one search: what is run whole or not at all.
type Case struct {
	// Setting and Plan count from 0; Plans is how many plans the setting has. A setting without a plan has
	// one case, which holds nothing.
	Setting int `json:"setting"`
	Plan    int `json:"plan"`
	Plans   int `json:"plans"`
	// Items is how many cells or searches of the document are the case's.
	Items int `json:"items"`
	// Unfinished: the run was interrupted in the middle of it.
	Unfinished bool `json:"unfinished,omitempty"`
	// Notes are those of the matrix's notes that are about the case's setting.
	Notes []string `json:"notes,omitempty"`
}
