// Values that many cards share: licenses as publishers state them, the honest user agent for hosts that refuse plain
// ones.
import type { Politeness, Source } from '../source.ts'

export const openGovernmentLicence: Source['license'] = {
  name: 'OGL-UK-3.0',
  url: 'https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/',
  attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
}

/**
 * Some hosts answer 403, 412 or 500 to agents whose names do not begin like a browser's; this one still identifies the
 * sender.
 */
export const browserLike: Politeness = { userAgent: 'Mozilla/5.0 (compatible; Tenderstock; +{contact})' }

export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000
