// Draws the document of the service that this page comes from.
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#document',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => document.getElementById('servers')?.setAttribute('aria-label', 'Server'),
});
