// The JSON Schema of CRM mapping files. Published as client/mappings/http-mapping.schema.json (a test keeps both
// equal), so that editors complete and check a mapping while it is written; the sink checks with the same schema.

/** The part of JSON Schema (2020-12) that this schema uses and schema-faults.ts knows. */
export type Schema = {
  readonly $schema?: string
  readonly $id?: string
  readonly title?: string
  readonly description?: string
  readonly $ref?: string
  readonly $defs?: { readonly [name: string]: Schema }
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
}

const text = (description: string): Schema => ({ type: 'string', minLength: 1, description })
const fieldsOf = (description: string): Schema => ({ type: 'array', items: { $ref: '#/$defs/field' }, description })
const object = (
  description: string,
  required: readonly string[],
  properties: { readonly [name: string]: Schema },
): Schema => ({ type: 'object', description, required, properties, additionalProperties: false })

export const httpMappingSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://tenderstock.example/schemas/http-mapping-1.json',
  title: 'Mapping of tender records to a CRM',
  ...object(
    'How tender-sync writes tenders into a CRM that upserts in batches by an external id.',
    ['version', 'name', 'baseUrl', 'headers', 'upsert', 'fields', 'close', 'merge'],
    {
      $schema: { type: 'string' },
      version: { const: 1, description: 'Version of this format.' },
      name: text('For messages.'),
      baseUrl: text('Address of the CRM; a dollar sign and a name in braces is read from the environment.'),
      headers: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description:
          'Headers of every request, with names from the environment as in baseUrl. Do not put secrets here.',
      },
      rate: object('At most so many requests in so many seconds, whatever the CRM says.', ['requests', 'seconds'], {
        requests: { type: 'integer', minimum: 1 },
        seconds: { type: 'number', minimum: 0.1 },
      }),
      retryCodes: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Error codes of single records that may be temporary: such records are resent, at most three times.',
      },
      emptyValue: {
        type: ['string', 'null'],
        description: 'What empties a property: "" or null. Default null.',
      },
      valuesAsText: {
        type: 'boolean',
        description:
          'True: numbers and booleans are sent as texts, for CRMs whose properties are texts. Default false.',
      },
      upsert: object(
        'The batch request that creates or updates by external id.',
        ['method', 'path', 'body', 'item', 'batchSize', 'answer'],
        {
          method: { enum: ['POST', 'PUT', 'PATCH'] },
          path: text('Path and query below baseUrl.'),
          body: {
            type: ['object', 'array', 'string'],
            description: 'JSON; the string "{items}" means the list of items.',
          },
          item: {
            type: 'object',
            description:
              'JSON of one record; "{externalId}" is the id of the tender, "{properties}" its properties; a member named "..." with "{properties}" spreads them into the object.',
          },
          batchSize: { type: 'integer', minimum: 1, maximum: 10000 },
          answer: { $ref: '#/$defs/answer' },
        },
      ),
      lookup: object(
        'Asks which external ids exist before it writes records unknown to the ledger: for fields that are set at creation only, and after the ledger was lost. Strongly recommended.',
        ['method', 'path', 'batchSize', 'results', 'externalId', 'crmId'],
        {
          method: { enum: ['GET', 'POST'] },
          path: text('Path and query; {quotedIds} means the ids in single quotes, separated by commas.'),
          body: { type: ['object', 'array'], description: 'JSON; the string "{items}" means the list of items.' },
          item: { type: ['object', 'string'], description: 'JSON of one id; "{externalId}" is the id.' },
          batchSize: { type: 'integer', minimum: 1, maximum: 10000 },
          results: text('Path of the list of found records in the answer.'),
          externalId: text('Path of the external id in a found record.'),
          crmId: text("Path of the CRM's own id in a found record."),
          lastModified: text('Path of the mapped lastModified in a found record, as an ISO 8601 timestamp.'),
        },
      ),
      fields: fieldsOf('Properties of every record.'),
      close: object('What else is set when a tender is archived (expired, cancelled, awarded).', ['fields'], {
        fields: fieldsOf('Set once, when the tender is closed.'),
      }),
      reopen: object('What else is set when a closed tender is open again.', ['fields'], {
        fields: fieldsOf('Set once, when the tender is opened again.'),
      }),
      merge: object('What happens when a tender turns out to be another one. Nothing is ever deleted.', ['fields'], {
        fields: fieldsOf('Set once, on the record that is given up.'),
        moves: {
          type: 'array',
          description:
            'Associations of the superseded record that move to the surviving one before the fields are set.',
          items: object('One kind of things: notes, tasks …', ['name', 'list', 'write'], {
            name: text('For messages.'),
            list: object('Finds them.', ['path', 'results', 'id'], {
              path: text("GET; {from} is the CRM's id of the record that is given up."),
              results: text('Path of the list in the answer.'),
              id: text('Path of the id in one of them.'),
              next: text('Path of the address of the next page in the answer.'),
            }),
            write: object('Hangs them at the one that remains.', ['method', 'path', 'body', 'item', 'batchSize'], {
              method: { enum: ['POST', 'PUT', 'PATCH'] },
              path: text('Path and query.'),
              body: { type: ['object', 'array', 'string'] },
              item: {
                type: ['object', 'string'],
                description: '"{item}" is the id found, "{from}" and "{into}" the CRM\'s ids of both records.',
              },
              batchSize: { type: 'integer', minimum: 1, maximum: 10000 },
            }),
          }),
        },
      }),
    },
  ),
  $defs: {
    answer: object('How the answer to a batch states the outcome of each record.', ['kind'], {
      kind: {
        enum: ['keyed', 'ordered'],
        description:
          'keyed: results and errors name the record. ordered: one entry per record, in the order of the request.',
      },
      results: text('Path of the list of results; left out with ordered when the answer is the list.'),
      resultKeys: {
        type: 'array',
        items: { type: 'string' },
        description: 'keyed: paths in a result of which the first present is the external id.',
      },
      success: text('ordered: path of the member that is true for a record that was written.'),
      crmId: text("Path of the CRM's own id in a result."),
      created: text('Path of the member that is true when the record was created.'),
      errors: text('keyed: path of the list of errors in the answer; ordered: in an entry.'),
      errorKeys: {
        type: 'array',
        items: { type: 'string' },
        description: 'keyed: paths in an error of which the first present holds the external id, or a list of them.',
      },
      errorCode: text('Path of the code in an error.'),
      errorMessage: text('Path of the text in an error.'),
    }),
    field: object('One property of the CRM.', ['to'], {
      to: text('Name of the property.'),
      from: {
        type: ['string', 'array'],
        minItems: 1,
        items: { type: 'string' },
        description:
          'Path in the record (`title`, `contractAmount.value`, `cpvCodes.0`), or several of which the first present counts. $state is open, closed or merged; $isBackfill is true in a first run.',
      },
      value: { type: ['string', 'number', 'boolean', 'null'], description: 'A constant, in place of from.' },
      type: {
        enum: ['text', 'number', 'boolean', 'date', 'datetime', 'epochMs'],
        description: 'Form of the value; date is YYYY-MM-DD in timeZone. Default text.',
      },
      timeZone: text('IANA name for date. Default UTC.'),
      map: {
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
        description: 'Value in the record to value in the CRM; "*" for all others, which stay as they are without it.',
      },
      join: { type: 'string', description: 'Between the elements of a list. Default ";".' },
      maxLength: { type: 'integer', minimum: 1, description: 'Longer texts are cut, with … at the end.' },
      default: { type: ['string', 'number', 'boolean'], description: 'In place of a missing value.' },
      empty: {
        enum: ['clear', 'skip'],
        description: 'A missing value empties the property (default), or leaves it unchanged.',
      },
      when: {
        enum: ['always', 'create'],
        description: 'create: set when the record is created, never again: for properties that your users change.',
      },
      isPassive: {
        type: 'boolean',
        description: 'True: a change of this property alone is no reason to write; it goes along with others.',
      },
    }),
  },
}
