// Draws the document of the service that this page comes from.
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#document',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
  // It would resolve the whole document for the security schemes, half of the time until the operations are listed, and again for each that is opened. They refer to nothing.
  plugins: [() => ({ statePlugins: { spec: { wrapActions: { requestResolvedSubtree: (resolve) => (path) => (path[1] === 'securitySchemes' ? () => {} : resolve(path)) } } } })],
  onComplete: () => document.getElementById('servers')?.setAttribute('aria-label', 'Server'),
});
