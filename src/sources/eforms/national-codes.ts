// National procedure codes of the German notices in terms of eForms.

/** What the national codes of eForms-DE mean among those of eForms; codes without a clear counterpart are left out. */
export const procedureTypesByNationalCode: { readonly [code: string]: string } = {
  'de-open': 'open',
  'us-open': 'open',
  'de-restricted-w-call': 'restricted',
  'us-res-tw': 'restricted',
  'de-comp-neg-w-call': 'neg-w-call',
  'de-neg-w-call': 'neg-w-call',
  'de-comp-w-call': 'neg-w-call',
  'us-neg-tw': 'neg-w-call',
  'de-comp-neg-wo-call': 'neg-wo-call',
  'de-neg-wo-call': 'neg-wo-call',
  'de-comp-wo-call': 'neg-wo-call',
  'us-neg': 'neg-wo-call',
}
