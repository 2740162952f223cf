package story

// The sentences of a story, each in both languages, side by side so that neither falls behind. In the
// French ones the words are those of the lessons.
var (
	madeText      = Text{"%s, %s: %s makes %s (%s)", "%s, %s\u00a0: %s fait %s (%s)"}
	repeatedText  = Text{"%s, %s: the service answers as the first time (%s)", "%s, %s\u00a0: le service répond comme la première fois (%s)"}
	nothingText   = Text{"%s, %s: %s makes nothing of it", "%s, %s\u00a0: %s n’en fait rien"}
	operationText = Text{"operation %s", "opération %s"}
	aboutText     = Text{"operation %s", "l’opération %s"}
	requestText   = Text{"request %s", "requête %s"}

	lostAnswerText = Text{"no answer comes back: the answer is lost", "aucune réponse ne revient\u00a0: la réponse est perdue"}

	foundText    = Text{"asks the service about %s -> found: it happened (%s)", "interroge le service sur %s -> trouvé\u00a0: c’est arrivé (%s)"}
	notFoundText = Text{"asks the service about %s -> not found", "interroge le service sur %s -> introuvable"}
	askedText    = Text{"asks the service about %s -> %s", "interroge le service sur %s -> %s"}
	recentText   = Text{"the recent changes of %s", "les changements récents de %s"}

	pendingText  = Text{"the record says: %s pending, %d call(s)", "le dossier dit\u00a0: %s en attente, appels\u00a0: %d"}
	keylessText  = Text{"the record says: %s is not done (no id to ask about)", "le dossier dit\u00a0: %s reste à faire (aucun identifiant à demander)"}
	untriedText  = Text{"the record says: %s not tried yet", "le dossier dit\u00a0: %s pas encore tentée"}
	recordedText = Text{"the record says: %s %s", "le dossier dit\u00a0: %s %s"}
	noTryText    = Text{"the record says: %s, step %d, nothing tried yet", "le dossier dit\u00a0: %s, étape %d, rien de tenté"}

	askFirstText = Text{"resume: it may have happened, so ask before calling again", "reprise\u00a0: c’est peut-être arrivé, donc on demande avant de rappeler"}
	sameIDText   = Text{"resume: not recorded as done, so send it under the same operation id", "reprise\u00a0: pas noté comme fait, donc on l’envoie sous le même identifiant"}
	noIDText     = Text{"resume: not recorded as done, and there is no id to ask about, so send it", "reprise\u00a0: pas noté comme fait, et aucun identifiant à demander, donc on l’envoie"}

	killedText = Text{"the process is killed %s", "le processus est tué %s"}
	beforeText = Text{"before the write", "avant l’écriture"}
	lostText   = Text{"during the call: sent, and never done", "pendant l’appel\u00a0: envoyé, jamais fait"}
	duringText = Text{"during the call: done, and the answer never seen", "pendant l’appel\u00a0: fait, réponse jamais vue"}
	afterText  = Text{"after the write, before it was recorded", "après l’écriture, avant son enregistrement"}
	atText     = Text{"at %s", "à %s"}

	errorText  = Text{"the process ends with an error: %s", "le processus finit par une erreur\u00a0: %s"}
	statusText = Text{"status: %s", "état\u00a0: %s"}

	opText = Text{"%s %s, %d call(s)", "%s %s, appels\u00a0: %d"}
)

// The recorded statuses, as the French record is read out: those of an operation, and those of a run.
var (
	frenchOperation = map[string]string{"pending": "en attente", "done": "faite", "failed": "échouée", "unknown": "inconnue"}
	frenchRun       = map[string]string{"running": "en cours", "waiting_approval": "attend l’approbation", "executing": "en exécution", "done": "terminé", "handed_to_person": "confié à une personne", "stopped": "arrêté"}
)

// OperationStatus returns the recorded status of an operation as each language reads it out.
func OperationStatus(s string) Text { return readOut(s, frenchOperation) }

// RunStatus returns the recorded status of a run as each language reads it out.
func RunStatus(s string) Text { return readOut(s, frenchRun) }

func readOut(s string, french map[string]string) Text {
	if fr, ok := french[s]; ok {
		return Text{s, fr}
	}
	return Same(s)
}

// services and changes by their names in the code.
var (
	services = map[string]Text{
		"payment":   {"the payment service", "le service de paiement"},
		"warehouse": {"the warehouse", "l’entrepôt"},
		"tickets":   {"the tickets", "le service des billets"},
	}
	changes = map[string]Text{
		"request_refund":      {"the refund", "le remboursement"},
		"create_return_label": {"the label", "l’étiquette"},
		"reship_item":         {"the reshipment", "la réexpédition"},
	}
)

func service(seam string) Text {
	if t, ok := services[seam]; ok {
		return t
	}
	return Text{"the " + seam, "le service " + seam}
}

func change(tool string) Text {
	if t, ok := changes[tool]; ok {
		return t
	}
	return Text{"the change", "le changement"}
}

// Why a history counts what it counts. Those of one change and of two follow what oneText and the two of
// more than one begin.
var (
	paidMoreText   = Text{"%d refunds, %s in all: the customer is paid more than once.", "%d remboursements, %s en tout\u00a0: le client est payé plus d’une fois."}
	madeMoreText   = Text{"%d changes where one was approved.", "%d changements pour un seul approuvé."}
	twiceText      = Text{"The request was sent more than once.", "La requête est partie plus d’une fois."}
	blindTwiceText = Text{"The change had happened, the record did not say so, and nothing asked the service: the request was sent again.", "Le changement avait eu lieu, le dossier ne le disait pas, et rien n’a interrogé le service\u00a0: la requête est repartie."}
	keyedTwiceText = Text{"The change had happened, the record did not say so, and the request was sent again under the same id: the service did not recognise it.", "Le changement avait eu lieu, le dossier ne le disait pas, et la requête est repartie sous le même identifiant\u00a0: le service ne l’a pas reconnue."}
	askedTwiceText = Text{"The change had happened, but the service’s answer did not show it, so the request was sent again.", "Le changement avait eu lieu, mais la réponse du service ne le montrait pas\u00a0: la requête est repartie."}

	markedText = Text{"An approved change never happened, and nobody knows of it: the record called it done before the call was made.", "Un changement approuvé n’a jamais eu lieu, et personne ne le sait\u00a0: le dossier le disait fait avant l’appel."}
	neverText  = Text{"An approved change never happened, and nobody knows of it.", "Un changement approuvé n’a jamais eu lieu, et personne ne le sait."}

	personText     = Text{"A person decides: what happened could not be settled from here, and nothing more was sent.", "Une personne décide\u00a0: d’ici, rien ne permet de savoir ce qui s’est passé, et rien de plus n’a été envoyé."}
	personSentText = Text{"A person decides: what happened could not be settled from here.", "Une personne décide\u00a0: d’ici, rien ne permet de savoir ce qui s’est passé."}

	oneText            = Text{"One intent, one change", "Une intention, un changement"}
	unwrittenText      = Text{": nothing had been written before the stop, so sending it was safe.", "\u00a0: rien n’avait été écrit avant l’arrêt; l’envoyer était sans danger."}
	askedFirstOnceText = Text{": nothing had been written before the stop. The service was asked first, knew of no such change, and the request was sent.", "\u00a0: rien n’avait été écrit avant l’arrêt. Le service a d’abord été interrogé, ne connaissait pas ce changement, et la requête est partie."}
	foundOnceText      = Text{": it had happened. The service was asked before anything was sent again, and its answer showed the change.", "\u00a0: il avait eu lieu. Le service a été interrogé avant tout nouvel envoi, et sa réponse montrait le changement."}
	keptOnceText       = Text{": it had happened, and nothing was sent again.", "\u00a0: il avait eu lieu, et rien n’est reparti."}
	knownText          = Text{": it had happened. The request was sent again, and the service recognised the repeat by its id.", "\u00a0: il avait eu lieu. La requête est repartie, et le service a reconnu la répétition à son identifiant."}
	askedKnownText     = Text{": it had happened, but the service’s answer did not show it. The request was sent again, and the service recognised the repeat by its id.", "\u00a0: il avait eu lieu, mais la réponse du service ne le montrait pas. La requête est repartie, et le service a reconnu la répétition à son identifiant."}

	noneText        = Text{"No change was made.", "Aucun changement n’a été fait."}
	interruptedText = Text{"The replay was interrupted: nothing was judged.", "La reprise du plan a été interrompue\u00a0: rien n’a été jugé."}
)
