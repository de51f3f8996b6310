// The server of the Model Context Protocol: its tools over any source of tenders, for every transport and both eras of
// the protocol.
import {
  fromJsonSchema,
  type JsonSchemaType,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { Ajv, AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { TenderRecord } from '../types.ts'
import { cutRecord, shortTenders } from './short-record.ts'
import {
  type CodeQuestion,
  codesTool,
  defaultLimit,
  type FoundCode,
  type GetQuestion,
  getTool,
  instructions,
  maxOffset,
  notice,
  type SearchQuestion,
  type SearchResult,
  searchTool,
} from './tool-definitions.ts'
import { ToolError } from './tool-error.ts'

export type FoundTenders = {
  /** Which edition was asked; null where it is not known. */
  readonly edition: number | null
  readonly total: number
  /** In the order of the question. */
  readonly records: readonly TenderRecord[]
  /** What the reader should know about the answer. */
  readonly remark?: string
}

/** Where tenders come from. Its functions throw ToolError where a question cannot be answered. */
export type TenderSource = {
  readonly search: (
    question: SearchQuestion & { readonly limit: number; readonly offset: number },
  ) => Promise<FoundTenders>
  /** Undefined for an id that nothing has. */
  readonly get: (id: string) => Promise<TenderRecord | undefined>
  /** Absent where no names of codes are known; then the tool is absent, too. */
  readonly findCodes?: (question: CodeQuestion) => Promise<readonly FoundCode[]>
}

/** One server for one connection or request. */
export function createTenderServer(source: TenderSource, version: string): McpServer {
  const server = new McpServer(
    { name: 'tenderstock', version },
    { capabilities: { tools: { listChanged: false }, resources: { listChanged: false } }, instructions },
  )
  const { findCodes } = source
  tool<SearchQuestion>(server, searchTool, (question) => search(source, question))
  tool<GetQuestion>(server, getTool, async ({ id, lots_from }) => {
    const record = await source.get(id)
    if (!record) throw new ToolError(`There is no tender ${id.slice(0, 40)}: take an id from search_tenders.`)
    return { notice, ...cutRecord(record, lots_from ?? 0) }
  })
  if (findCodes)
    tool<CodeQuestion>(server, codesTool, async (question) => {
      const codes = await findCodes(question)
      if (codes.length === 0)
        throw new ToolError('No code has such a name: try one general word, in English or German.')
      return { codes }
    })
  server.registerResource(
    'tender',
    new ResourceTemplate('tender://record/{id}', { list: undefined }),
    { mimeType: 'application/json', description: 'The answer of get_tender' },
    async (uri, { id }) => {
      const record = await source.get(String(id))
      if (!record) throw new ResourceNotFoundError(uri.href)
      const text = JSON.stringify({ notice, ...cutRecord(record, 0) })
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
    },
  )
  return server
}

async function search(source: TenderSource, question: SearchQuestion): Promise<SearchResult> {
  const { limit = defaultLimit, offset = 0 } = question
  const { edition, total, records, remark } = await source.search({ ...question, limit, offset })
  const next = offset + records.length
  const isMore = next < total && records.length > 0
  return {
    notice,
    edition,
    total,
    tenders: shortTenders(records),
    nextOffset: isMore && next <= maxOffset ? next : null,
    ...(remark !== undefined && { remark }),
    ...(isMore && next > maxOffset && { remark: 'More are not listed: narrow the question.' }),
    ...(total === 0 && question.words !== undefined && { remark: remark ?? noWords(source) }),
  }
}

const noWords = ({ findCodes }: TenderSource): string =>
  findCodes
    ? 'Words find what a notice says in its language: leave some out, or search by a code that find_codes names.'
    : 'Leave words out, or search by codes.'

/** Names what is wrong with a question, so that an assistant repairs it at once. */
class QuestionSchemas extends Ajv {
  override errorsText(errors = this.errors): string {
    return (errors ?? []).slice(0, 5).map(problemOf).join('; ')
  }
}

function problemOf({
  keyword,
  instancePath,
  params,
  message,
  parentSchema,
}: NonNullable<InstanceType<typeof Ajv>['errors']>[number]): string {
  const member = instancePath.slice(1).replaceAll('/', ' ')
  if (keyword === 'additionalProperties')
    return `"${String(params['additionalProperty']).slice(0, 40)}" is none of ${Object.keys(parentSchema?.['properties']).join(', ')}`
  if (keyword === 'enum') return `${member} is none of ${params['allowedValues'].join(', ')}`
  return `${member} ${message}`.trim()
}

const validator = new AjvJsonSchemaValidator(new QuestionSchemas({ allErrors: true, verbose: true, strict: false }))
const schemaOf = <Value>(schema: object) => fromJsonSchema<Value>(schema as JsonSchemaType, validator)

type Definition = typeof searchTool | typeof getTool | typeof codesTool

/** An answer is given as text, too: not every client reads the structured one. */
function tool<Question>(
  server: McpServer,
  { name, config }: Definition,
  answer: (question: Question) => Promise<object>,
): void {
  const { inputSchema, outputSchema, ...rest } = config
  const schemas = { inputSchema: schemaOf<Question>(inputSchema), outputSchema: schemaOf(outputSchema) }
  server.registerTool(name, { ...rest, ...schemas }, async (question) => {
    try {
      const structuredContent = (await answer(question as Question)) as { [member: string]: unknown }
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      return { isError: true, content: [{ type: 'text', text: error.message }] }
    }
  })
}
