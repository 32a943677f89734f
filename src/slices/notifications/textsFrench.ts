/** Notices in French. */
import type { NoticeTexts } from './noticeText.ts';

/** French, left to right. */
export const french: NoticeTexts = {
  direction: 'ltr',
  facts: {
    at: 'Date',
    count: 'Livraisons en échec',
    endpoint: 'Point de terminaison',
    notification: 'Notification',
    reason: 'Motif',
    seq: 'Événement',
    severity: 'Gravité',
    since: 'Depuis',
    tenant: 'Client',
    ticket: 'Ticket',
    until: 'Jusqu’à',
  },
  footer:
    'Ce message a été envoyé par la plateforme de conformité. Il figure aussi parmi les ' +
    'notifications.',
  greeting: 'Bonjour',
  greetingAll: 'Bonjour à tous',
  kinds: {
    'alerts.altered': {
      says:
        'Des alertes ne sont plus celles qui ont été signées. Les listes les signalent ; selon ' +
        'leurs propres données, elles peuvent manquer là où elles devraient figurer.',
      title: 'Des alertes ont été modifiées hors du service',
      todo:
        'Suivez la procédure AlertsAltered : conservez la base en l’état et cherchez qui y ' +
        'a écrit.',
    },
    'alerts.restored': {
      says: 'Toutes les alertes comparées sont celles qui ont été signées.',
      title: 'Plus aucune alerte n’est altérée',
      todo: 'Aucune action n’est requise. L’altération reste consignée.',
    },
    'chain.acknowledged': {
      says: 'Deux personnes ont pris acte d’un événement altéré de la piste d’audit.',
      title: 'Rupture de la chaîne de preuves prise en compte',
      todo: 'Les politiques peuvent être modifiées, sauf si une autre rupture reste ouverte.',
    },
    'chain.broken': {
      says:
        'Un événement de la piste d’audit n’est plus celui qui a été signé. Le filtrage ' +
        'continue ; les politiques sont verrouillées.',
      title: 'La chaîne de preuves est rompue',
      todo:
        'Suivez la procédure ChainBroken : conservez la base en l’état et cherchez qui y ' +
        'a écrit.',
    },
    'privacy.due': {
      says: 'Une personne a demandé ses données, ou leur effacement, et n’a pas encore de réponse.',
      title: 'Une demande relative aux données personnelles arrive à échéance',
      todo: 'Répondez avant l’échéance, ou prolongez-la avec un motif.',
    },
    'privacy.overdue': {
      says: 'L’échéance d’une demande est passée sans réponse.',
      title: 'Une demande relative aux données personnelles est en retard',
      todo: 'Répondez aujourd’hui, et dites à la personne pourquoi vous êtes en retard.',
    },
    'replay.different': {
      says: 'Un filtrage a été rejoué à partir de ses propres preuves, et le résultat diffère.',
      title: 'Le rejeu d’un filtrage diffère',
      todo:
        'Suivez la procédure ReplayDifferent : lisez les différences et suspendez les mises ' +
        'à jour.',
    },
    'replay.settled': {
      says: 'Le filtrage a été rejoué une nouvelle fois, à l’identique.',
      title: 'Le rejeu d’un filtrage est de nouveau identique',
      todo: 'Rien à faire. Le résultat différent reste consigné.',
    },
    'rescreening.different': {
      says:
        'Le passage hebdomadaire sur tous les clients a trouvé des correspondances que les ' +
        'passages précédents auraient dû trouver.',
      title: 'Le filtrage continu a manqué des correspondances',
      todo:
        'Traitez les nouvelles alertes et suivez la procédure RescreeningDifferent : cherchez ' +
        'pourquoi elles ont été manquées.',
    },
    'rescreening.in_time': {
      says: 'Tous les clients sont de nouveau comparés aux listes en vigueur.',
      title: 'Le filtrage continu a rattrapé son retard',
      todo: 'Rien à faire.',
    },
    'rescreening.late': {
      says: 'Depuis plus de quatre heures, des clients ne sont pas comparés aux listes en vigueur.',
      title: 'Le filtrage continu est en retard',
      todo:
        'Suivez la procédure RescreeningLate : examinez les processus de travail et le dernier ' +
        'passage.',
    },
    'rescreening.settled': {
      says: 'Le passage hebdomadaire sur tous les clients a retrouvé l’existant, et rien de plus.',
      title: 'Le filtrage continu ne manque plus rien',
      todo: 'Rien à faire. L’écart précédent reste consigné.',
    },
    'risk.approval_asked': {
      says:
        'Une politique de risque a été soumise : elle attend votre approbation, avec ses ' +
        'deux rapports.',
      title: 'Une politique de risque attend votre approbation',
      todo:
        'Examinez le changement, le backtest et l’essai, puis approuvez par signature ou ' +
        'rejetez.',
    },
    'risk.approval_decided': {
      says: 'La politique de risque en attente a été publiée, rejetée ou retirée.',
      title: 'Une politique de risque a reçu sa décision',
      todo: 'Aucune action n’est requise.',
    },
    'risk.approval_due': {
      says: 'Une politique de risque attend toujours votre approbation.',
      title: 'Rappel : une politique de risque attend votre approbation',
      todo: 'Approuvez-la par signature, ou rejetez-la en disant pourquoi.',
    },
    'risk.approval_late': {
      says: 'Une politique de risque attend ses approbations depuis sept jours.',
      title: 'Politique de risque sans approbation depuis sept jours',
      todo: 'Demandez à la direction de la conformité et à la DSI d’approuver ou de rejeter.',
    },
    'tax.form_ended': {
      says: 'Un formulaire de l’IRS signé par un titulaire n’est plus valable après ce jour.',
      title: 'Un formulaire d’un titulaire a atteint son dernier jour',
      todo: 'Demandez-en un nouveau. D’ici là, le titulaire est classé sans formulaire.',
    },
    'tax.form_ending': {
      says: 'Un formulaire de l’IRS signé par un titulaire est valable jusqu’au jour indiqué.',
      title: 'Un formulaire d’un titulaire arrive à échéance',
      todo: 'Demandez-en un nouveau au titulaire et déposez-le avant ce jour.',
    },
    'webhook.burst': {
      says:
        'De très nombreuses livraisons de webhooks d’un même client ont échoué ' +
        'définitivement en une heure.',
      title: 'Livraisons de webhooks en échec massif',
      todo:
        'Vérifiez les points de terminaison du client, puis notre propre sortie : proxy, ' +
        'DNS, certificats.',
    },
    'webhook.burst_over': {
      says: 'Peu de livraisons de webhooks du client ont échoué au cours de la dernière heure.',
      title: 'Fin de l’échec massif des livraisons de webhooks',
      todo: 'Ce qui a été manqué peut être renvoyé.',
    },
    'webhook.certificate': {
      says: 'Le certificat client d’un point de terminaison expire bientôt, ou a expiré.',
      title: 'Certificat d’un point de terminaison bientôt expiré',
      todo: 'Demandez-en un nouveau et configurez-le : sans lui, rien n’est envoyé.',
    },
    'webhook.certificate_renewed': {
      says: 'Le certificat client d’un point de terminaison a été renouvelé.',
      title: 'Certificat d’un point de terminaison renouvelé',
      todo: 'Il n’y a rien à faire.',
    },
    'webhook.disabling': {
      says:
        'Un point de terminaison n’a rien accepté depuis quatre jours. ' +
        'Il sera désactivé dans un jour.',
      title: 'Un point de terminaison de webhook va être désactivé',
      todo: 'Réparez-le ou remplacez-le. Un seul succès suffit à le conserver.',
    },
    'webhook.moved': {
      says: 'Un point de terminaison répond que son adresse a changé définitivement.',
      title: 'Un point de terminaison de webhook a changé d’adresse',
      todo: 'Modifiez son URL dans la configuration.',
    },
    'webhook.disabled': {
      says:
        'Un point de terminaison a été désactivé : il n’existe plus, ou n’a rien accepté ' +
        'depuis cinq jours.',
      title: 'Un point de terminaison de webhook a été désactivé',
      todo:
        'Réparez-le ou remplacez-le, réactivez-le, puis demandez le renvoi de ce qu’il a ' +
        'manqué.',
    },
    'webhook.failed': {
      says:
        'Des livraisons vers un point de terminaison ont échoué définitivement. Un ticket a ' +
        'été ouvert ; il compte les suivantes et se ferme au prochain succès.',
      title: 'Livraisons de webhooks en échec définitif',
      todo:
        'Examinez les livraisons de ce point de terminaison, corrigez la cause, puis ' +
        'renvoyez-les.',
    },
    'webhook.failing': {
      says:
        'Trois livraisons de suite ont échoué vers un point de terminaison. Elles seront ' +
        'retentées.',
      title: 'Un point de terminaison de webhook est en échec',
      todo: 'Examinez ses réponses. La prochaine notification ne viendra qu’après un succès.',
    },
    'webhook.recovered': {
      says: 'Un point de terminaison qui était en échec a accepté une livraison.',
      title: 'Un point de terminaison de webhook est rétabli',
      todo:
        'Aucune action n’est requise. Les livraisons en échec définitif peuvent être ' +
        'renvoyées.',
    },
  },
  severities: { CRITICAL: 'Critique', HIGH: 'Élevée', LOW: 'Faible', MEDIUM: 'Moyenne' },
};
