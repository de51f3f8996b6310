// What a notice is: one act, whatever form its publisher chose (docs/acts.md).

/**
 * `call`: offers, requests or interest in a contract are asked for now. `prior-information`: plans and consultations,
 * nothing can be won yet. `ex-ante`: an award is intended without a call. `correction`: changes the text and not the
 * time. `deadline-extension`: gives a later deadline. `suspension`: stands still, may go on. `cancellation`: ended
 * without a contract. `award`: a contract is given, or its winner chosen. `modification`: a running contract changes.
 * `other`: no procurement, such as a job offer or a sale.
 */
const acts = [
  'call',
  'prior-information',
  'ex-ante',
  'correction',
  'deadline-extension',
  'suspension',
  'cancellation',
  'award',
  'modification',
  'other',
] as const
export type Act = (typeof acts)[number]

/** What an ex-ante notice announces: an award to a company already chosen, or a tender among invited companies. */
export type Intention = 'direct' | 'restricted'

/** Where the decision was found, in the order of belief. */
export type ActField =
  | 'results'
  | 'change'
  | 'status'
  | 'procedure'
  | 'title'
  | 'description'
  | 'change text'
  | 'form type'

/** The written rule (docs/acts.md) that decided. */
export type ActRule =
  | 'result of every lot'
  | 'no lot has a winner'
  | 'change block'
  | 'status of the source'
  | 'deadline of a corrigendum'
  | 'sentence about an earlier notice'
  | 'words of the procedure'
  | 'words of the title'
  | 'first sentences'
  | 'words of the change'
  | 'form type'

export type ActReading = {
  readonly act: Act
  /** The act that a correction, an extension or a suspension belongs to. */
  readonly of?: Act
  readonly intention?: Intention
  readonly rule: ActRule
  readonly field: ActField
  /** The words or the code that decided, as published. */
  readonly evidence: string
  /** The notice tells about an earlier one, and has no text of a call of its own. */
  readonly isFollowUp?: true
  /** Sequence numbers of the only lots that a cancellation ends. */
  readonly lotNumbers?: readonly string[]
  /** The published form type, where the act has another one. */
  readonly form?: string
  /** A weaker sign of another act, which did not decide: shown to people, and never hides a call. */
  readonly doubt?: { readonly act: Act; readonly field: ActField; readonly evidence: string }
}
