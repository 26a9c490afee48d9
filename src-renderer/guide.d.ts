/** A chapter of the user's guide, as HTML that the build made of it (scripts/guide). */
declare module '*.md' {
  const html: string
  export default html
}
