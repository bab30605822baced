locals {
  # The services by entry point: the function of each, and its scale.
  services = {
    upload = { target = "Upload", scale = var.scale.upload }
    task   = { target = "Task", scale = var.scale.task }
    api    = { target = "API", scale = var.scale.api }
  }

  # The queues: the service that each pushes to, and the age in seconds that triggers an
  # alert. An upload is done within minutes; a large batch takes hours. A model that is
  # down for a day makes photos be given up. Tasks that publish other tasks have a queue of
  # their own, so that they do not wait behind the tasks of a large batch.
  queues = {
    uploads    = { service = "upload", alert_age = 900 }
    tasks      = { service = "task", alert_age = 21600 }
    long-tasks = { service = "task", alert_age = 900 }
  }

  # Bucket names are global, so they begin with the project.
  bucket_prefix = "${var.project}-${var.name_prefix}"

  vertex = var.gemini_secret == ""
  iap    = length(var.iap_members) > 0

  # Who reaches the API, and what proves who they are. An assertion of IAP names the service,
  # an identity token its address, which Google makes of the service's name and region.
  access = local.iap ? "iap" : var.public_api ? "public" : "private"
  caller_audiences = (
    local.iap ? ["/projects/${data.google_project.this.number}/locations/${var.region}/services/${var.name_prefix}-api"] :
    var.public_api ? sort(concat(["https://${var.name_prefix}-api-${data.google_project.this.number}.${var.region}.run.app"], [for domain in local.balanced : "https://${domain}"], tolist(var.token_audiences))) : []
  )
  # Whoever deploys is an owner where callers have roles.
  owners = local.access == "private" || var.deployer == "" ? var.owners : setunion(var.owners, [var.deployer])

  # The key that encrypts stored data, or null for Google's own.
  kms_key = var.kms_key == "" ? null : var.kms_key

  # Google's own accounts. scripts/deploy creates those that Google would create only at
  # their first use, which is too late to grant them roles.
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
  iap_agent    = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-iap.iam.gserviceaccount.com"
  kms_agents = {
    artifactregistry = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-artifactregistry.iam.gserviceaccount.com"
    firestore        = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-firestore.iam.gserviceaccount.com"
    pubsub           = local.pubsub_agent
    run              = "serviceAccount:service-${data.google_project.this.number}@serverless-robot-prod.iam.gserviceaccount.com"
    storage          = data.google_storage_project_service_account.this.member
  }
}

# Both depend only on the first APIs. If they depended on all, one more API would make
# their values unknown, and replace every grant that names them.
data "google_project" "this" {
  project_id = var.project

  depends_on = [google_project_service.first]
}

data "google_storage_project_service_account" "this" {
  project = var.project

  depends_on = [google_project_service.first]
}
