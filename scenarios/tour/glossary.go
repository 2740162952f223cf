package tour

import (
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/explorer/story"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver/strategy"
)

// Glossary returns what each strategy and each provider profile does, in the order that every table shows them.
func Glossary() page.Glossary {
	var g page.Glossary
	for _, s := range strategy.All() {
		g.Strategies = append(g.Strategies, page.Term{Name: s.Name, What: story.Text{EN: s.Doc, FR: strategiesFR[s.Name]}})
	}
	for _, p := range provider.Profiles() {
		g.Providers = append(g.Providers, page.Term{Name: p.Name, What: profiles[p.Name]})
	}
	return g
}

// strategiesFR says in French what the strategies say of themselves.
var strategiesFR = map[string]string{
	"operation-id": "même identifiant; demande d’abord, n’appelle que si rien n’a eu lieu",
	"naive-retry":  "une nouvelle requête, sans rien demander",
	"id-only":      "même identifiant, ne demande jamais",
	"lookup-only":  "sans identifiant; cherche parmi les changements récents et croit un «\u00a0introuvable\u00a0» sur parole",
	"mark-first":   "note «\u00a0fait\u00a0», puis agit; sans réponse, ne fait plus rien",
	"mark-last":    "agit, puis note; sans réponse, appelle encore",
	"restart":      "aucun point de contrôle\u00a0: toute la tâche recommence, avec une nouvelle approbation",
}

// profiles says how each service treats a repeat, and what it can be asked.
var profiles = map[string]story.Text{
	"replay-all": {EN: "keys for a day; a repeat gets the first answer, even an error; a look-up sees every change at once",
		FR: "clés gardées un jour; une répétition reçoit la première réponse, même une erreur; une consultation voit tout de suite chaque changement"},
	"resume": {EN: "keys for 30 days; a repeat gets the success, or carries on what had failed; a look-up sees every change at once",
		FR: "clés gardées 30 jours; une répétition reçoit le succès, ou poursuit ce qui avait échoué; une consultation voit tout de suite chaque changement"},
	"latest-status": {EN: "keys for 45 days; a repeat gets what has become of the first request by now; a look-up sees every change at once",
		FR: "clés gardées 45 jours; une répétition reçoit l’état actuel de la première requête; une consultation voit tout de suite chaque changement"},
	"success-only": {EN: "keys for a day, for successes only: after an error the same key is tried again; a look-up lags",
		FR: "clés gardées un jour, pour les succès seulement\u00a0: après une erreur, la même clé est essayée de nouveau; une consultation est en retard"},
	"transient-flag": {EN: "keys for a week; an error says whether the same key may be tried again; a look-up lags",
		FR: "clés gardées une semaine; une erreur dit si la même clé peut être essayée de nouveau; une consultation est en retard"},
	"key-only": {EN: "keys for half an hour, contents never compared: whatever comes under a used key gets its first answer; a look-up lags",
		FR: "clés gardées une demi-heure, contenus jamais comparés\u00a0: tout ce qui vient sous une clé connue reçoit sa première réponse; une consultation est en retard"},
	"no-key": {EN: "no keys: every repeat is carried out again; a look-up lags",
		FR: "aucune clé\u00a0: chaque répétition est exécutée de nouveau; une consultation est en retard"},
	"scoped-token": {EN: "keys for ten minutes after the end, within one region; a repeat gets a success with the newer state; a look-up lags",
		FR: "clés gardées dix minutes après la fin, dans une seule région; une répétition reçoit un succès avec l’état plus récent; une consultation est en retard"},
	"cancel-by-key": {EN: "keys for a day, and a change can be cancelled by its key; cancelling nothing leaves no mark, so a late request still applies; a look-up lags",
		FR: "clés gardées un jour, et un changement s’annule par sa clé; annuler rien ne laisse aucune trace, donc une requête tardive s’applique encore; une consultation est en retard"},
	"blind": {EN: "no keys and no look-up: once an answer is lost, nobody can know",
		FR: "aucune clé, aucune consultation\u00a0: une fois la réponse perdue, personne ne peut savoir"},
	"larkfield": {EN: "the course’s own: keys for ever, key and change in one transaction; a repeat gets the first answer; a look-up sees every change at once",
		FR: "celui du cours\u00a0: clés gardées pour toujours, clé et changement en une transaction; une répétition reçoit la première réponse; une consultation voit tout de suite chaque changement"},
}
