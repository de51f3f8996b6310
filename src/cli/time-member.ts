// Which members of an event hold a time: epoch milliseconds within the program, ISO 8601 in what it prints.

const timeName = /(?:At|Since)$|^(?:at|until|since|nextPublication|lastModified)$/

export const isTimeName = (name: string): boolean => timeName.test(name)
