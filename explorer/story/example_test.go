package story_test

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/story"
)

func ExampleTell() {
	for i, row := range story.Tell(lostAnswer()).Table() {
		fmt.Printf("%d  %s: %s\n", i+1, row.Part, row.What.FR)
	}
	// Output:
	// 1  write: request_refund 9,95, opération op-1 : le service de paiement fait le remboursement (RF-1)
	// 2  stop: le processus est tué pendant l’appel : fait, réponse jamais vue
	// 3  checkpoint: le dossier dit : op-1 en attente, appels : 1
	// 4  resume: reprise : c’est peut-être arrivé, donc on demande avant de rappeler
	// 5  reconcile: interroge le service sur l’opération op-1 -> trouvé : c’est arrivé (RF-1)
	// 6  end: état : terminé
}
