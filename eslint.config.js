import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import tseslint from 'typescript-eslint'
import desk from './scripts/lint/modules.mjs'
import { typedParser } from './scripts/lint/typed-parser.mjs'
import svelteConfig from './svelte.config.js'

// Components and modules with runes alone: oxlint looks at everything else, many times faster (.oxlintrc.json), and the
// scripts of components it would look at without what their templates use.
export default tseslint.config(
  {
    ignores: [
      '**/*.{js,mjs,cjs}',
      '**/!(*.svelte).ts',
      'out/',
      'dist/',
      '.cache/',
      '.svelte-check/',
      'docs/',
    ],
  },
  ...tseslint.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: {
        parser: typedParser,
        svelteConfig,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      // State lies in runes.
      'no-restricted-imports': ['error', 'svelte/store'],
      // Of a component's props some may be bound and others not: they are taken apart together.
      'prefer-const': ['error', { destructuring: 'all' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      'svelte/no-at-html-tags': 'error',
      'svelte/no-inline-styles': 'error',
      // There are no stores, and to look for one asks for the type of everything.
      'svelte/require-store-reactive-access': 'off',
    },
  },
  {
    files: ['src-renderer/**'],
    languageOptions: { parserOptions: { project: 'tsconfig.renderer.json' } },
    plugins: { desk },
    rules: {
      'desk/modules': 'error',
      'max-lines': ['error', { max: 500 }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  { files: ['test/**'], rules: { 'no-console': 'off' } },
)
