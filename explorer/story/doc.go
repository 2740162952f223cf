// Package story tells a history in the words of people, in English and in French: what was written, where
// the process was stopped, what the record said, what the next life did about it.
//
// Every row is taken from the events and the ledger; nothing is worked out again. Text from outside is told
// as it is: whoever shows it passes it through [Inert] first, or makes it harmless in its own way.
//
// Import rule: explorer/history only.
package story
