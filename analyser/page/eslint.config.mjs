// SPDX-License-Identifier: Apache-2.0
import tseslint from "typescript-eslint";

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
);
