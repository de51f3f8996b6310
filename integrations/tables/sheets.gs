// For Google Sheets: Extensions > Apps Script. Put the token into the script property TENDER_TOKEN, then run loadTenders.
// It fills the sheet "Tenders" with open tenders, at most 5,000; times are UTC.
const api = 'https://api.example.org'
const filters = { cpv: '45000000' }
const columns = ['id', 'status', 'title', 'authority', 'deadline', 'value', 'currency', 'cpv', 'lastModified']

function loadTenders() {
  const token = PropertiesService.getScriptProperties().getProperty('TENDER_TOKEN')
  const rows = []
  for (let cursor = null, page = 0; page < 50; page++) {
    const answer = askPage(token, cursor)
    for (const record of answer.data) rows.push(rowOf(record))
    cursor = answer.nextCursor
    if (cursor === null) break
  }
  const book = SpreadsheetApp.getActive()
  const sheet = book.getSheetByName('Tenders') || book.insertSheet('Tenders')
  sheet.clearContents()
  sheet.getRange(1, 1, rows.length + 1, columns.length).setNumberFormat('@').setValues([columns, ...rows])
}

function askPage(token, cursor) {
  const query = { ...filters, limit: 100, ...(cursor === null ? {} : { cursor }) }
  const text = Object.keys(query).map((name) => `${name}=${encodeURIComponent(query[name])}`).join('&')
  const options = { headers: { Authorization: `Bearer ${token}` }, muteHttpExceptions: true }
  for (let attempt = 0; attempt < 6; attempt++) {
    const response = UrlFetchApp.fetch(`${api}/v1/tenders?${text}`, options)
    const status = response.getResponseCode()
    if (status === 200) return JSON.parse(response.getContentText())
    if (status !== 429 && status !== 503) throw new Error(`${status}: ${response.getContentText()}`)
    Utilities.sleep(1000 * Math.min(60, Number(response.getHeaders()['Retry-After'] || 10)))
  }
  throw new Error('the API is busy: try again later')
}

/** A text that begins like a formula stays a text. */
function cellOf(text) {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

function rowOf(record) {
  const { id, status, title, contractingAuthority: authority, contractAmount: amount, lastModified } = record
  const deadlines = [record.participationDate, record.submissionDate].filter(Boolean).sort()
  const value = amount === null ? '' : amount.value
  const texts = [id, status, title, authority ? authority.name : '', deadlines[0] || '', value, amount ? amount.currency : '']
  return [...texts, record.cpvCodes.join(' '), lastModified].map((text) => cellOf(String(text)))
}
