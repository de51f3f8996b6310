// Made-up text that fits a regular expression, for names and addresses that a card recognizes by a pattern.
import { type Seeded, seeded } from './samples/seeded.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'
const fillers = `${letters}0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. /:;,=+#!%&()'"<>[]{}|`
const attempts = 200

/**
 * Returns text in which the pattern finds its match; the same for the same key. Throws if it finds none, which happens
 * with no real pattern of a name.
 */
export function sampleOf(pattern: RegExp, key: string): string {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const text = new Sampler(pattern.source, seeded(`${key}|${attempt}`)).read()
    if (new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(text)) return text
  }
  throw new Error(`no text was found that fits ${pattern.source}`)
}

class Sampler {
  readonly #source: string
  readonly #random: Seeded
  #at = 0
  readonly #groups: string[] = []

  constructor(source: string, random: Seeded) {
    this.#source = source
    this.#random = random
  }

  read(): string {
    return this.#alternatives()
  }

  #alternatives(): string {
    const found = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      found.push(this.#sequence())
    }
    return this.#random.pick(found)
  }

  #sequence(): string {
    let text = ''
    while (this.#at < this.#source.length && this.#source[this.#at] !== '|' && this.#source[this.#at] !== ')')
      text += this.#term()
    return text
  }

  #term(): string {
    const start = this.#at
    let text = this.#atom()
    const end = this.#at
    const [low, high] = this.#quantifier()
    const count = this.#random.whole(low, Math.min(high, Math.max(low, low === 0 ? 1 : low + 4)))
    const after = this.#at
    if (count === 0) return ''
    for (let index = 1; index < count; index++) {
      this.#at = start
      text += this.#atom()
      this.#at = end
    }
    this.#at = after
    return text
  }

  #quantifier(): readonly [number, number] {
    const match = /^(?:\*|\+|\?|\{(\d+)(,(\d*))?\})\??/.exec(this.#source.slice(this.#at))
    if (!match) return [1, 1]
    this.#at += match[0].length
    switch (match[0][0]) {
      case '*':
        return [0, 4]
      case '+':
        return [5, 9]
      case '?':
        return [0, 1]
    }
    const low = Number(match[1])
    return [low, match[2] === undefined ? low : match[3] ? Number(match[3]) : low + 4]
  }

  #atom(): string {
    const sign = this.#source[this.#at]!
    this.#at += 1
    switch (sign) {
      case '^':
      case '$':
        return ''
      case '.':
        return this.#random.pick([...letters])
      case '(':
        return this.#group()
      case '[':
        return this.#class()
      case '\\':
        return this.#escape()
    }
    return sign
  }

  #group(): string {
    // the expected text may be at this position, before the text that follows
    const ahead = /^\?=/.exec(this.#source.slice(this.#at))
    const look = ahead ? null : /^\?(?:!|<[=!])/.exec(this.#source.slice(this.#at))
    const name = /^\?(?:<[^>=!]+>|[a-z]*(?:-[a-z]+)?:)/.exec(this.#source.slice(this.#at))
    if (ahead) this.#at += ahead[0].length
    else if (look) this.#at += look[0].length
    else if (name) this.#at += name[0].length
    const isCaptured = !look && !ahead && name?.[0].endsWith(':') !== true
    const index = isCaptured ? this.#groups.push('') - 1 : -1
    const text = this.#alternatives()
    this.#at += 1
    if (look) return ''
    if (isCaptured) this.#groups[index] = text
    return text
  }

  #escape(): string {
    const sign = this.#source[this.#at]!
    this.#at += 1
    switch (sign) {
      case 'b':
        return this.#random.chance(0.5) ? ' ' : ''
      case 'B':
        return ''
      case 'n':
        return '\n'
      case 't':
        return '\t'
      case 'r':
        return '\r'
    }
    if (/[1-9]/.test(sign)) return this.#groups[Number(sign) - 1] ?? ''
    const set = setOf(sign)
    return set ? this.#random.pick([...fillers].filter((each) => set.test(each))) : sign
  }

  #class(): string {
    const end = endOfClass(this.#source, this.#at)
    const set = new RegExp(this.#source.slice(this.#at - 1, end + 1))
    this.#at = end + 1
    const plain = [...letters].filter((each) => set.test(each))
    return this.#random.pick(plain.length > 0 ? plain : [...fillers].filter((each) => set.test(each)))
  }
}

function setOf(sign: string): RegExp | undefined {
  return /[dDsSwW]/.test(sign) ? new RegExp(`\\${sign}`) : undefined
}

function endOfClass(source: string, from: number): number {
  for (let index = from; index < source.length; index++) {
    if (source[index] === '\\') index += 1
    else if (source[index] === ']' && index > from) return index
  }
  return source.length
}
