// Why a node is not ready: what `/readyz` answers with 503, and what a load balancer takes the node out for.

/** The reasons with what they say. Programs read the reason, people the sentence. */
const unreadySentences = {
  draining: 'This node is stopping.',
  empty: 'Nothing has been published yet.',
  loading: 'This node has not loaded the newest edition since its start yet.',
  damaged: 'The records on this node are being rebuilt.',
  behind: 'This node has not loaded an edition that has been there for more than 60 seconds.',
  stale: 'This node could not look for new editions for too long.',
} as const

export type UnreadyReason = keyof typeof unreadySentences

export const unreadySentence = (reason: UnreadyReason): string => unreadySentences[reason]
