locals {
  # The services by entry point: what each serves, and how large it may get.
  services = {
    upload = { target = "Upload", scale = var.scale.upload }
    task   = { target = "Task", scale = var.scale.task }
    api    = { target = "API", scale = var.scale.api }
  }

  # The queues: which service each pushes to, and after how many seconds of
  # waiting somebody is told. An upload is done within minutes; a large batch takes
  # hours. A model that is down for a day makes photos be given up. What hands tasks out has a queue
  # of its own, so that it need not wait behind the tasks of a large batch.
  queues = {
    uploads    = { service = "upload", alert_age = 1800 }
    tasks      = { service = "task", alert_age = 21600 }
    long-tasks = { service = "task", alert_age = 1800 }
  }

  # Buckets share one namespace with the world, so they begin with the project.
  bucket_prefix = "${var.project}-${var.name_prefix}"

  vertex = var.gemini_secret == ""
  iap    = length(var.iap_members) > 0

  # The key that encrypts what is kept, or null: Google's own.
  kms_key = var.kms_key == "" ? null : var.kms_key

  # Google's own accounts. scripts/deploy makes those that would come to be with their
  # first use only, which is too late to give them rights.
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

# Both wait for the first APIs alone. If they waited for all, one more API would
# make their answers unknown, and replace every right that names them.
data "google_project" "this" {
  project_id = var.project

  depends_on = [google_project_service.first]
}

data "google_storage_project_service_account" "this" {
  project = var.project

  depends_on = [google_project_service.first]
}
