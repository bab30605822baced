# A file of products that a shop writes anew, imported on a schedule; off without feed. Cloud Scheduler publishes the
# task that POST /catalog-imports publishes too: so no account needs to be an owner at the API, which may be behind IAP
# or closed to the internet.
resource "google_cloud_scheduler_job" "feed" {
  for_each = var.feed == null ? {} : { feed = var.feed }

  project     = var.project
  region      = var.region
  name        = "${var.name_prefix}-feed"
  description = "Imports the products of a feed into the catalogue ${var.shop}"
  schedule    = each.value.schedule
  time_zone   = each.value.time_zone

  pubsub_target {
    topic_name = google_pubsub_topic.queues["long-tasks"].id
    data = base64encode(jsonencode({
      agent   = "catalog"
      kind    = "import"
      payload = { uri = each.value.address, pictures = each.value.pictures }
    }))
  }

  depends_on = [google_project_service.apis]
}
