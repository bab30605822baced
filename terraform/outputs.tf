output "next" {
  description = "What to do now."
  value = join("\n", compact([
    "Photos go in, results come out:",
    "  export UPLOAD_BUCKET=${google_storage_bucket.uploads.name} RESULTS_BUCKET=${google_storage_bucket.results.name} UPLOAD_TOPIC=${google_pubsub_topic.queues["uploads"].name} FAILURES_SUBSCRIPTION=${google_pubsub_subscription.failures.name} GOOGLE_CLOUD_PROJECT=${var.project} API_URL=${local.api_address}",
    "  go run ./scripts/whatisit upload photo.jpg",
    var.public_api ? "The API is open to everybody: ${local.api_address}" : (
      local.iap ? "The API in a browser, for iap_members: ${local.api_address}" :
      "The API, for whoever is in api_invokers:\n  gcloud run services proxy ${google_cloud_run_v2_service.services["api"].name} --region=${var.region} --project=${var.project}"
    ),
    length(var.alert_emails) == 0 ? "Nobody is told of alerts: set alert_emails." : "",
    var.max_usd_per_day == 0 ? "Nothing limits what a day may cost: set max_usd_per_day." : "",
    "After changes, push the image to ${local.repository} and apply with its digest.",
  ]))
}

locals {
  repository = "${var.region}-docker.pkg.dev/${var.project}/${google_artifact_registry_repository.images.repository_id}"
}

output "repository" {
  description = "The image repository: KO_DOCKER_REPO."
  value       = local.repository
}

output "upload_bucket" {
  description = "The bucket of photos: UPLOAD_BUCKET."
  value       = google_storage_bucket.uploads.name
}

output "results_bucket" {
  description = "The bucket of results: RESULTS_BUCKET."
  value       = google_storage_bucket.results.name
}

output "upload_topic" {
  description = "The topic that whatisit replay publishes to: UPLOAD_TOPIC."
  value       = google_pubsub_topic.queues["uploads"].name
}

output "failures_subscription" {
  description = "The subscription of given-up photos, for whatisit replay --failed: FAILURES_SUBSCRIPTION."
  value       = google_pubsub_subscription.failures.name
}

output "results_topic" {
  description = "The topic of finished results: subscribe to it."
  value       = google_pubsub_topic.results.id
}

output "database" {
  description = "The Firestore database: FIRESTORE_DATABASE."
  value       = google_firestore_database.database.name
}

output "api_url" {
  description = "The API's address: API_URL."
  value       = local.api_address
}

output "balancer_address" {
  description = "The address for the A record of balancer_domain."
  value       = one([for a in google_compute_global_address.balancer : a.address])
}

output "api_service" {
  description = "The API's service, for gcloud run services proxy."
  value       = google_cloud_run_v2_service.services["api"].name
}

output "dashboard" {
  description = "The dashboard's address."
  value       = "https://console.cloud.google.com/monitoring/dashboards?project=${var.project}"
}
