// SPDX-License-Identifier: Apache-2.0
import tseslint from "typescript-eslint";

// Each directory includes those before it alone.
const LAYERS = ["text", "data", "draw", "ui", "views"];

const layers = LAYERS.map((directory, i) => ({
    files: [`${directory}/**/*.ts`, `${directory}/**/*.tsx`],
    rules: {
        "no-restricted-imports": [
            "error",
            {
                patterns: LAYERS.slice(i + 1).map((above) => ({
                    group: [`**/${above}/*`, `**/${above}`],
                    message: `${directory}/ is below ${above}/.`,
                })),
            },
        ],
    },
}));

export default tseslint.config(
    { ignores: ["dist/", "node_modules/"] },
    {
        files: ["**/*.ts", "**/*.tsx"],
        extends: [tseslint.configs.recommendedTypeChecked],
        languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
        rules: {
            "@typescript-eslint/no-explicit-any": "error",
            "@typescript-eslint/no-floating-promises": ["error", { ignoreVoid: true }],
            "max-lines": ["error", 600],
            "no-restricted-syntax": [
                "error",
                {
                    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
                    message: "A report's strings are text.",
                },
                {
                    selector: "AssignmentExpression[left.property.name='innerHTML']",
                    message: "A report's strings are text.",
                },
            ],
        },
    },
    ...layers,
);
