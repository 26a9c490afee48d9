import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import tseslint from 'typescript-eslint'
import { modulesRule } from './scripts/lint/modules.mjs'
import { typedParser } from './scripts/lint/typed-parser.mjs'
import svelteConfig from './svelte.config.js'

const typed = ['src-*/**/*.ts', 'src-*/**/*.svelte']

/** Each file is looked up in one project: a component that a project lacks has it built anew. @param {string} project */
const typesOf = (project) => ({
  languageOptions: {
    parserOptions: { project, tsconfigRootDir: import.meta.dirname, extraFileExtensions: ['.svelte'] },
  },
})

export default tseslint.config(
  { ignores: ['out/', 'dist/', 'node_modules/', '.cache/', '.svelte-check/', 'docs/'] },
  ...tseslint.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: globals.node },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      // Of a component's props some may be bound and others not: they are taken apart together.
      'prefer-const': ['error', { destructuring: 'all' }],
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    files: typed,
    plugins: { desk: { rules: { modules: modulesRule } } },
    rules: {
      'desk/modules': 'error',
      'max-lines': ['error', { max: 400 }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  { files: ['src-{main,shared,preload}/**/*.ts'], ...typesOf('./tsconfig.json') },
  { files: ['src-renderer/**/*.ts', 'src-renderer/**/*.svelte'], ...typesOf('./tsconfig.renderer.json') },
  { files: ['src-*/**/*.ts'], ignores: ['**/*.svelte.ts'], languageOptions: { parser: typedParser } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { parser: typedParser, svelteConfig },
    },
    rules: {
      'svelte/no-at-html-tags': 'error',
      'svelte/no-inline-styles': 'error',
      // There are no stores (below), and to look for one asks for the type of everything.
      'svelte/require-store-reactive-access': 'off',
    },
  },
  {
    files: ['src-renderer/**', 'test/src-renderer/**'],
    languageOptions: { globals: globals.browser },
    // State lies in runes.
    rules: { 'no-restricted-imports': ['error', 'svelte/store'] },
  },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  { files: ['scripts/**', 'test/**', 'src-main/sandbox/main.ts'], rules: { 'no-console': 'off' } },
)
