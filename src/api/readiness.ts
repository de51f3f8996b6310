// Why a node is not ready: the reasons for which `/readyz` answers 503 and a load balancer takes the node out.

/** The reasons with their sentences. Programs read the reason, people the sentence. */
const unreadySentences = {
  draining: 'This node is stopping.',
  empty: 'This node holds no edition yet.',
  loading: 'This node has not loaded the newest edition since its start yet.',
  damaged: 'The records on this node are being rebuilt.',
  behind: 'This node has not loaded an edition that has existed for more than 60 seconds.',
  access: 'This node has been unable to learn for too long which tokens were revoked.',
  replaced: 'Other editions were published in place of the newest ones that this node holds.',
  stale: 'This node has been unable to check for new editions for too long.',
} as const

export type UnreadyReason = keyof typeof unreadySentences

/** Reasons for which a node that receives requests nevertheless refuses those for records. */
const closingReasons: ReadonlySet<UnreadyReason | undefined> = new Set<UnreadyReason>(['access', 'replaced'])

export const unreadySentence = (reason: UnreadyReason): string => unreadySentences[reason]

/** Why requests for records are refused; undefined while they are answered. */
export const closedSentence = (reason: UnreadyReason | undefined): string | undefined =>
  reason !== undefined && closingReasons.has(reason) ? unreadySentence(reason) : undefined
